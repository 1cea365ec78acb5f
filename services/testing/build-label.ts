import type { AssertedLabel } from '../investigate/model/label.ts';

/** A label with everything that a test does not care about. */
export const buildLabel = (
  label: Partial<AssertedLabel> & Pick<AssertedLabel, 'address' | 'kind'>,
): AssertedLabel => ({
  chain: 'solana',
  name: `${label.kind} ${label.address}`,
  entity: '',
  category: '',
  source: 'test',
  creator: '',
  confidence: 0.5,
  validFrom: null,
  validTo: null,
  inheritedFrom: null,
  evidence: '',
  assertedAt: 1_700_000_000,
  ...label,
});
