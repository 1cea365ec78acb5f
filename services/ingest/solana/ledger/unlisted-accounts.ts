import type { RawTokenBalance } from '../encoding/raw-block.ts';
import type { Ledger } from './ledger.ts';
import type { TokenAccount } from './token-account.ts';

/**
 * Nodes list a token account only while its mint exists. If the transaction closed or reopened the mint, the
 * account is added here as empty, because a mint can be closed only when nobody holds its token.
 */
export const listUnlisted = (ledger: Ledger): void => {
  const { tokens, meta } = ledger;
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index];
    if (token === undefined || (token.before !== null && token.after !== null)) continue;
    if (token.mint === null || !hasTurned(ledger, token.mint)) continue;
    const { before, after, opened, closed } = token;
    const stayed = after === null && !closed && (before !== null || opened);
    if (stayed && isThere(meta.postBalances[index])) token.after = emptied(index, token.mint, token);
    if (before === null && after !== null && !opened && isThere(meta.preBalances[index]))
      token.before = emptied(index, token.mint, token);
  }
};

/** By the instructions, or by the mint's lamports if nested calls are not recorded. */
const hasTurned = ({ keys, meta, turnedMints }: Ledger, mint: string): boolean => {
  const index = keys.find(mint);
  if (index === undefined) return false;
  return turnedMints?.has(index) || (isThere(meta.preBalances[index]) && !isThere(meta.postBalances[index]));
};

const isThere = (lamports: unknown): boolean => lamports !== 0 && lamports !== 0n;

const emptied = (
  accountIndex: number,
  mint: string,
  { before, after, owner }: TokenAccount,
): RawTokenBalance => ({
  ...(before ?? after ?? {}),
  ...{ accountIndex, mint },
  ...(owner === null ? {} : { owner }),
  uiTokenAmount: { amount: '0', decimals: (before ?? after)?.uiTokenAmount.decimals ?? 0 },
});
