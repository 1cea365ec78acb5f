import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { Movement } from '../../investigate/model/movement.ts';
import { describeWithSharedData, sharedData } from '../../testing/shared-data.ts';
import {
  keysOf,
  messageOf,
  type NodeTransaction,
  readTransfers,
  type ToldTransfer,
} from '../../testing/solana/read-transfers.ts';
import { decodeSolanaBlock } from './decode-solana-block.ts';

type Balance = { readonly accountIndex: number; readonly mint: string; readonly owner?: string };
type Transaction = NodeTransaction & {
  readonly meta: {
    readonly preTokenBalances?: readonly Balance[] | null;
    readonly postTokenBalances?: readonly Balance[] | null;
  };
};

const WRAPPED = 'So11111111111111111111111111111111111111112';

/** What the balances say of token accounts; an owner that is not said, or changed, is left open. */
const readHolders = (raw: Transaction, keys: readonly string[]) => {
  const holders = new Map<string, { asset: string; owner: string | null }>();
  for (const { accountIndex, mint, owner = '' } of [
    ...(raw.meta.preTokenBalances ?? []),
    ...(raw.meta.postTokenBalances ?? []),
  ]) {
    const account = keys[accountIndex] ?? '';
    const before = holders.get(account);
    const isOpen = owner === '' || (before !== undefined && before.owner !== owner);
    holders.set(account, { asset: mint === WRAPPED ? 'native' : mint, owner: isOpen ? null : owner });
  }
  return holders;
};

type Holders = ReturnType<typeof readHolders>;

/** Whether the row is the instruction's: both ends, asset and amount, as far as the balances tell. */
const isRowOf = (told: ToldTransfer, row: Movement, holders: Holders): boolean => {
  const isEnd = (account: string | null, party: string | null): boolean => {
    if (account === null || party === null) return account === party;
    const owner = told.program === 'system' ? account : holders.get(account)?.owner;
    return owner === undefined || owner === null || owner === party;
  };
  const known = holders.get(told.from ?? '') ?? holders.get(told.to ?? '');
  const asset = told.program === 'system' ? 'native' : known?.asset;
  const isAmount =
    row.amountRaw === told.amountRaw || (told.program === 'token-2022' && row.amountRaw < told.amountRaw);
  const isAsset = asset === undefined || asset === row.asset;
  return (
    row.kind === told.kind && isAsset && isAmount && isEnd(told.from, row.from) && isEnd(told.to, row.to)
  );
};

const compare = (raw: Transaction, rows: readonly Movement[]) => {
  const holders = readHolders(raw, keysOf(raw, messageOf(raw)));
  const told = readTransfers(raw);
  const opened = new Set(told.flatMap(({ kind, to }) => (kind === 'open' ? [to] : [])));
  const isTokenAccount = (account: string | null): boolean =>
    opened.has(account) || holders.has(account ?? '');
  // Lamports for a token account are rent, or wrapped.
  const asked = told.filter(
    ({ kind, program, to }) => kind !== 'open' && !(program === 'system' && isTokenAccount(to)),
  );
  const left = [...rows];
  const missing = asked.filter((each) => {
    const at = left.findIndex((row) => isRowOf(each, row, holders));
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
  // Lamports also move by other instructions than transfers; tokens do not.
  const unasked = left.filter(
    ({ kind, asset }) => ['transfer', 'mint', 'burn'].includes(kind) && asset !== 'native',
  );
  return { asked: asked.length, missing, unasked };
};

describeWithSharedData('real Solana blocks, read a second time', () => {
  test.for([
    ['443787702.json.gz', 3],
    ['254170887.json.gz', 244],
    ['110130000.json.gz', 396],
    ['332254855.json.gz', 148],
    ['147078735.json.json.gz', 11],
    ['147078735.jsonParsed.json.gz', 11],
  ] as const)(
    '%s: every transfer, mint and burn instruction is a row of its own with both ends',
    ([name, count]) => {
      const text = gunzipSync(readFileSync(sharedData(`solana/blocks/${name}`))).toString();
      const block = JSON.parse(text) as { transactions: Transaction[] };
      const { movements } = decodeSolanaBlock({ block, slot: 1, chain: 'solana', votes: 'sum' });
      const rows = Map.groupBy(movements, ({ txIndex }) => txIndex);
      const compared = block.transactions.map((raw, txIndex) => compare(raw, rows.get(txIndex) ?? []));
      expect(compared.flatMap(({ missing }) => missing)).toEqual([]);
      expect(compared.flatMap(({ unasked }) => unasked)).toEqual([]);
      expect(compared.reduce((sum, { asked }) => sum + asked, 0)).toBe(count);
    },
  );
});
