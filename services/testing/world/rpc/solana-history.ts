import type { World } from '../create-world.ts';
import type { JsonTokenBalance, JsonTransaction } from '../solana-writer/compile-transaction.ts';
import type { BlockStore } from './block-store.ts';
import { invalidParameters } from './rpc-error.ts';

const CHAIN = 'solana';
const PAGE_MAX = 1_000;

type Meta = {
  readonly postTokenBalances: readonly JsonTokenBalance[];
  readonly loadedAddresses?: { readonly writable: string[]; readonly readonly: string[] };
};
type Transaction = Pick<JsonTransaction, 'transaction'> & { readonly meta: Meta };
type JsonBlock = { readonly blockTime: number; readonly transactions: readonly Transaction[] };
type Place = { readonly slot: number; readonly blockTime: number; readonly position: number };
type History = {
  readonly places: ReadonlyMap<string, Place>;
  /** Signatures that name an address, oldest first. */
  readonly signatures: ReadonlyMap<string, readonly string[]>;
  /** `owner program`: the token accounts that it ever held. */
  readonly tokenAccounts: ReadonlyMap<string, ReadonlySet<string>>;
};

// A world is read through once, and only where somebody asks by address.
const histories = new WeakMap<World, History>();

const historyOf = (world: World, store: BlockStore): History => {
  const known = histories.get(world);
  if (known) return known;
  const history = readHistory(world, store);
  histories.set(world, history);
  return history;
};

const readHistory = (world: World, store: BlockStore): History => {
  const places = new Map<string, Place>();
  const signatures = new Map<string, string[]>();
  const tokenAccounts = new Map<string, Set<string>>();
  const { first, last } = world.range[CHAIN] ?? { first: 0, last: -1 };
  for (let slot = first; slot <= last; slot++) {
    const json = store.read(CHAIN, slot, 'block');
    if (json === null) continue;
    const { blockTime, transactions } = JSON.parse(json) as JsonBlock;
    for (const [position, transaction] of transactions.entries()) {
      const signature = transaction.transaction.signatures[0] ?? '';
      const accounts = accountsOf(transaction);
      places.set(signature, { slot, blockTime, position });
      for (const account of accounts)
        signatures.set(account, [...(signatures.get(account) ?? []), signature]);
      for (const { owner, programId, accountIndex } of transaction.meta.postTokenBalances) {
        const key = `${owner} ${programId}`;
        tokenAccounts.set(key, (tokenAccounts.get(key) ?? new Set()).add(accounts[accountIndex] ?? ''));
      }
    }
  }
  return { places, signatures, tokenAccounts };
};

const accountsOf = ({ transaction, meta }: Transaction): string[] => [
  ...transaction.message.accountKeys,
  ...(meta.loadedAddresses?.writable ?? []),
  ...(meta.loadedAddresses?.readonly ?? []),
];

/** `getSignaturesForAddress`: newest first, a page that ends before `before`. */
export const listSignatures = (world: World, store: BlockStore, parameters: readonly unknown[]): string => {
  const [address, options] = parameters as [string, { limit?: number; before?: string } | undefined];
  const { limit = PAGE_MAX, before } = options ?? {};
  if (limit < 1 || limit > PAGE_MAX) throw invalidParameters('Invalid limit; max 1000');
  const { places, signatures } = historyOf(world, store);
  const newestFirst = (signatures.get(address) ?? []).toReversed();
  const start = before === undefined ? 0 : newestFirst.indexOf(before) + 1;
  const page = newestFirst.slice(start, start + limit).map((signature) => {
    const { slot, blockTime } = places.get(signature) ?? {};
    return { signature, slot, blockTime, err: null, memo: null, confirmationStatus: 'finalized' };
  });
  return JSON.stringify(page);
};

/** `getTransaction` in `json` encoding. */
export const getTransaction = (world: World, store: BlockStore, parameters: readonly unknown[]): string => {
  const place = historyOf(world, store).places.get(String(parameters[0]));
  const json = place && store.read(CHAIN, place.slot, 'block');
  if (!json) return 'null';
  const transaction = (JSON.parse(json) as JsonBlock).transactions[place.position];
  return JSON.stringify({ slot: place.slot, blockTime: place.blockTime, ...transaction });
};

/** `getTokenAccountsByOwner` of one program, without data. */
export const listTokenAccounts = (
  world: World,
  store: BlockStore,
  parameters: readonly unknown[],
): string => {
  const [owner, { programId } = { programId: '' }] = parameters as [string, { programId: string }?];
  const accounts = historyOf(world, store).tokenAccounts.get(`${owner} ${programId}`) ?? [];
  const context = { slot: world.range[CHAIN]?.last ?? 0 };
  const account = {
    data: ['', 'base64'],
    executable: false,
    lamports: 2_039_280,
    owner: programId,
    space: 165,
  };
  return JSON.stringify({ context, value: [...accounts].map((pubkey) => ({ pubkey, account })) });
};
