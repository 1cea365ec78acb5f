import type { AssetFacts } from '../model/describe-asset.ts';
import { isDepositAddress, type Label, type LabelKind } from '../model/label.ts';
import type { SaidLabel } from '../model/profile-reader.ts';
import { type Identity, identityOfKind, type Prediction } from './profile.ts';

type IdentityFacts = {
  readonly label: Label | null;
  readonly said: readonly SaidLabel[];
  /** Whether any row names it. */
  readonly isUsed: boolean;
  /** Where events say that it is a token, or code and what its chain calls code; null where they do not. */
  readonly codeType: 'token' | 'program' | 'contract' | null;
};

/**
 * A label says who it is; without one, what it did may. A prediction never replaces a label. That it is a token is a fact: blocks
 * or its contract told its decimals, and `facts` has them.
 */
export const findIdentity = (
  { label, said, isUsed, codeType }: IdentityFacts,
  predicted: Prediction | null,
  facts: AssetFacts | undefined,
): Identity => {
  const isToken = isTokenByFacts(facts);
  const tokenName = isToken ? (facts?.symbol ?? null) : null;
  if (label === null) {
    const fact = isToken ? 'token' : codeType;
    const type = fact ?? predicted?.type ?? (isUsed ? 'wallet' : null);
    return { type, name: tokenName, entity: null, owner: null, predicted: fact === null ? predicted : null };
  }
  const source = said.find(({ name, kind }) => name === label.name && kind === label.kind);
  const entity = source?.entity === '' ? null : (source?.entity ?? null);
  return {
    type: isToken && MAY_BE_TOKEN.has(label.kind) ? 'token' : identityOfKind(label.kind),
    name: label.name,
    entity,
    owner: isDepositAddress(label) ? entity : null,
    predicted: null,
  };
};

/** Kinds that say less than that it is a token. */
const MAY_BE_TOKEN: ReadonlySet<LabelKind> = new Set(['contract', 'other']);

/** Blocks, or its contract, told its decimals. */
export const isTokenByFacts = (facts: AssetFacts | undefined): boolean =>
  facts !== undefined && (facts.decimals !== null || facts.wrappedOf !== null);
