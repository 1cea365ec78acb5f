import type { AssetFacts } from '../model/describe-asset.ts';
import { isDepositAddress, type Label, type LabelKind } from '../model/label.ts';
import type { SaidLabel } from '../model/profile-reader.ts';
import { type Identity, identityOfKind, type Prediction } from './profile.ts';

type IdentityFacts = {
  readonly label: Label | null;
  readonly said: readonly SaidLabel[];
  /** Whether any row contains the address. */
  readonly isUsed: boolean;
  /**
   * Set when events show that the address is a token, or code and what the chain calls it; otherwise null.
   */
  readonly codeType: 'token' | 'program' | 'contract' | null;
};

/**
 * Names the address. A label decides; without one a prediction from its behaviour may. A prediction never
 * replaces a label. A token is known from blocks or from its contract, and `facts` has its decimals.
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

/** Label kinds that say less than "token". */
const MAY_BE_TOKEN: ReadonlySet<LabelKind> = new Set(['contract', 'other']);

/** Its decimals are known from blocks or from its contract. */
export const isTokenByFacts = (facts: AssetFacts | undefined): boolean =>
  facts !== undefined && (facts.decimals !== null || facts.wrappedOf !== null);
