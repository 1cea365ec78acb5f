import { decodeBase58 } from '../../investigate/model/base58.ts';
import type { World } from '../create-world.ts';
import type { JsonTokenBalance, JsonTransaction } from '../solana-writer/compile-transaction.ts';
import type { BlockStore } from './block-store.ts';
import { invalidParameters } from './rpc-error.ts';

const CHAIN = 'solana';
const PAGE_MAX = 1_000;

type Meta = {
  readonly postBalances: readonly number[];
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
  /** Final lamports of each address. */
  readonly lamports: ReadonlyMap<string, number>;
  /** Token accounts that are open at the end, by address. */
  readonly holdings: ReadonlyMap<string, JsonTokenBalance>;
};

// The world is read completely, at the first question by address.
const histories = new WeakMap<World, Promise<History>>();

const historyOf = (world: World, store: BlockStore): Promise<History> => {
  const known = histories.get(world);
  if (known) return known;
  const history = readHistory(world, store);
  histories.set(world, history);
  return history;
};

const readHistory = async (world: World, store: BlockStore): Promise<History> => {
  const places = new Map<string, Place>();
  const signatures = new Map<string, string[]>();
  const lamports = new Map<string, number>();
  const holdings = new Map<string, JsonTokenBalance>();
  const { first, last } = world.range[CHAIN] ?? { first: 0, last: -1 };
  for (let slot = first; slot <= last; slot++) {
    const json = await store.read(CHAIN, slot, 'block');
    if (json === null) continue;
    const { blockTime, transactions } = JSON.parse(json) as JsonBlock;
    for (const [position, transaction] of transactions.entries()) {
      const signature = transaction.transaction.signatures[0] ?? '';
      const accounts = accountsOf(transaction);
      places.set(signature, { slot, blockTime, position });
      for (const account of accounts)
        signatures.set(account, [...(signatures.get(account) ?? []), signature]);
      for (const [at, account] of accounts.entries()) {
        lamports.set(account, transaction.meta.postBalances[at] ?? 0);
        holdings.delete(account);
      }
      for (const balance of transaction.meta.postTokenBalances)
        holdings.set(accounts[balance.accountIndex] ?? '', balance);
    }
  }
  return { places, signatures, lamports, holdings };
};

const accountsOf = ({ transaction, meta }: Transaction): string[] => [
  ...transaction.message.accountKeys,
  ...(meta.loadedAddresses?.writable ?? []),
  ...(meta.loadedAddresses?.readonly ?? []),
];

/** `getSignaturesForAddress`: newest first, one page up to `before`. */
export const listSignatures = async (
  world: World,
  store: BlockStore,
  parameters: readonly unknown[],
): Promise<string> => {
  const [address, options] = parameters as [string, { limit?: number; before?: string } | undefined];
  const { limit = PAGE_MAX, before } = options ?? {};
  if (limit < 1 || limit > PAGE_MAX) throw invalidParameters('Invalid limit; max 1000');
  const { places, signatures } = await historyOf(world, store);
  const newestFirst = (signatures.get(address) ?? []).toReversed();
  const start = before === undefined ? 0 : newestFirst.indexOf(before) + 1;
  const page = newestFirst.slice(start, start + limit).map((signature) => {
    const { slot, blockTime } = places.get(signature) ?? {};
    return { signature, slot, blockTime, err: null, memo: null, confirmationStatus: 'finalized' };
  });
  return JSON.stringify(page);
};

/** `getTransaction` in `json` encoding. */
export const getTransaction = async (
  world: World,
  store: BlockStore,
  parameters: readonly unknown[],
): Promise<string> => {
  const place = (await historyOf(world, store)).places.get(String(parameters[0]));
  const json = place && (await store.read(CHAIN, place.slot, 'block'));
  if (!json) return 'null';
  const transaction = (JSON.parse(json) as JsonBlock).transactions[place.position];
  return JSON.stringify({ slot: place.slot, blockTime: place.blockTime, ...transaction });
};

/** `getBalance` after the last block. */
export const getBalance = async (
  world: World,
  store: BlockStore,
  parameters: readonly unknown[],
): Promise<string> => {
  const value = (await historyOf(world, store)).lamports.get(String(parameters[0])) ?? 0;
  return JSON.stringify({ context: contextOf(world), value });
};

const contextOf = (world: World) => ({ slot: world.range[CHAIN]?.last ?? 0 });

type Slice = { readonly dataSlice?: { readonly offset: number; readonly length: number } };

/** `getTokenAccountsByOwner` of one program; mint, owner and amount as data on request. */
export const listTokenAccounts = async (
  world: World,
  store: BlockStore,
  parameters: readonly unknown[],
): Promise<string> => {
  const [owner, { programId } = { programId: '' }, options] = parameters as [
    string,
    { programId: string }?,
    Slice?,
  ];
  const { offset = 0, length = 165 } = options?.dataSlice ?? {};
  const { holdings } = await historyOf(world, store);
  const own = [...holdings].filter(([, held]) => held.owner === owner && held.programId === programId);
  const accountOf = (held: JsonTokenBalance) => ({
    data: [
      tokenAccountData(held)
        .subarray(offset, offset + length)
        .toString('base64'),
      'base64',
    ],
    executable: false,
    lamports: 2_039_280,
    owner: programId,
    space: 165,
  });
  const value = own.map(([pubkey, held]) => ({ pubkey, account: accountOf(held) }));
  return JSON.stringify({ context: contextOf(world), value });
};

const tokenAccountData = ({ mint, owner, uiTokenAmount }: JsonTokenBalance): Buffer => {
  const data = Buffer.alloc(165);
  data.set(decodeBase58(mint) ?? [], 0);
  data.set(decodeBase58(owner) ?? [], 32);
  data.writeBigUInt64LE(BigInt(uiTokenAmount.amount), 64);
  return data;
};
