import { type AssertedLabel, isDepositAddress, type LabelKind } from '../../investigate/model/label.ts';
import { authoritiesSpeaking } from './authorities.ts';
import { CURATED_SOURCE } from './curated-source.ts';

export type HeldLabel = Pick<AssertedLabel, 'kind' | 'name' | 'source' | 'validTo'>;

const SERVICES: readonly LabelKind[] = ['exchange', 'bridge', 'mixer', 'dex'];
const ACCUSING: readonly LabelKind[] = ['hack', 'sanctioned'];

/** Whether many people's money lies there. A deposit address is one customer's, who may be accused. */
export const isSharedService = (label: Pick<AssertedLabel, 'kind' | 'name'>): boolean =>
  SERVICES.includes(label.kind) && !isDepositAddress(label);

/**
 * Which label of the address speaks against an accusation: another list knows a service there. Thieves' lists
 * contain the exchanges that they paid, and everybody who uses such a service would be accused with it. An
 * authority's own word stands, and so do sanctions on a mixer. Null where nothing speaks against it.
 */
export const contradicting = (label: AssertedLabel, held: readonly HeldLabel[]): HeldLabel | null => {
  if (!ACCUSING.includes(label.kind) || label.source === CURATED_SOURCE) return null;
  if (authoritiesSpeaking(label).length > 0) return null;
  return (
    held.find(
      ({ kind, source, validTo }) =>
        source !== label.source &&
        (validTo === null || validTo > label.assertedAt) &&
        !(kind === 'mixer' && label.kind === 'sanctioned'),
    ) ?? null
  );
};
