import { useState } from 'react';
import { Link } from 'wouter';
import { shorten, showName } from './format.ts';

type Label = { readonly name: string; readonly kind: string } | null;

/** An address as a link to its profile, and a button that copies all of it. */
export const AddressText = ({ chain, address }: { chain: string; address: string }) => (
  <span className="address">
    <Link href={`/wallet?${new URLSearchParams({ chain, address })}`} title={address}>
      {shorten(address)}
    </Link>
    <CopyButton text={address} what="address" />
  </span>
);

export const CopyButton = ({ text, what }: { text: string; what: string }) => {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1_500);
  };
  return (
    <button type="button" className="copy" aria-label={`Copy ${what} ${text}`} onClick={() => void copy()}>
      {isCopied ? 'copied' : 'copy'}
    </button>
  );
};

/** A label with its kind, as text whoever named it. */
export const LabelText = ({ label }: { label: Label }) =>
  label === null ? null : (
    <span className={`label kind-${label.kind}`}>
      {showName(label.name)} <small>{label.kind}</small>
    </span>
  );
