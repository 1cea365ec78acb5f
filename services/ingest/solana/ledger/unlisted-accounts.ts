import type { RawTokenBalance } from '../encoding/raw-block.ts';
import type { Ledger } from './ledger.ts';
import type { TokenAccount } from './token-account.ts';

/**
 * Nodes list a token account only while its mint stands. One whose mint was closed by the transaction, or opened again, stays what it
 * was: it is listed here with nothing in it, because a mint can only be closed when nobody holds anything of it.
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

/** By the instructions, or by what the mint holds where a node did not record those that programs called. */
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
