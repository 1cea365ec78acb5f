import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { decodeSolanaBlock } from '../../ingest/solana/decode-solana-block.ts';
import { parseSolanaBlock } from '../../ingest/solana/encoding/parse-solana-block.ts';
import { createMemoryAssetReader } from '../../testing/memory/memory-asset-reader.ts';
import { createMemoryCaseReader } from '../../testing/memory/memory-case-reader.ts';
import { createMemoryControlReader } from '../../testing/memory/memory-control-reader.ts';
import { createMemoryFunderReader } from '../../testing/memory/memory-funder-reader.ts';
import { createMemoryPriceReader } from '../../testing/memory/memory-price-reader.ts';
import { createMemoryTokenReader } from '../../testing/memory/memory-token-reader.ts';
import { createMemoryReader } from '../../testing/memory-reader.ts';
import { describeWithSharedData, sharedData } from '../../testing/shared-data.ts';
import { findChain } from '../model/chain.ts';
import { findVictims } from './find-victims.ts';
import { SPLIT_MAX } from './rules.ts';

type Balance = {
  readonly owner?: string;
  readonly mint: string;
  readonly uiTokenAmount: { readonly amount: string };
};
type Parsed = { readonly parsed?: { readonly type: string; readonly info: Record<string, unknown> } };
type NodeAnswer = {
  readonly transaction: {
    readonly message: {
      readonly accountKeys: readonly { readonly pubkey: string }[];
      readonly instructions: readonly Parsed[];
    };
  };
  readonly meta: {
    readonly err: unknown;
    readonly fee: number;
    readonly preBalances: readonly number[];
    readonly postBalances: readonly number[];
    readonly preTokenBalances: readonly Balance[];
    readonly postTokenBalances: readonly Balance[];
    readonly innerInstructions: readonly { readonly instructions: readonly Parsed[] }[];
  };
};

/** What the node's own balances say of the signer, without any row of ours: what more or less it has of each token. */
const tokenChanges = ({ transaction, meta }: NodeAnswer): bigint[] => {
  const signer = transaction.message.accountKeys[0]?.pubkey;
  const changes = new Map<string, bigint>();
  const add = (sign: bigint) => (each: Balance) => {
    if (each.owner !== signer) return;
    changes.set(each.mint, (changes.get(each.mint) ?? 0n) + sign * BigInt(each.uiTokenAmount.amount));
  };
  meta.preTokenBalances.forEach(add(-1n));
  meta.postTokenBalances.forEach(add(1n));
  return [...changes.values()];
};

const instructionsOf = ({ transaction, meta }: NodeAnswer): Parsed[] => [
  ...transaction.message.instructions,
  ...meta.innerInstructions.flatMap(({ instructions }) => instructions),
];

/**
 * The rule of each kind (SolPhishHunter, arXiv 2505.04094), read from the node's answer:
 *
 * - `authority`: `SetAuthority` of `accountOwner` hands a token account over
 * - `nothing`: it failed, or the signer paid nobody
 * - `exchanged`: the signer has more of a token or more coin afterwards, so it bought or sold something
 * - `many`: the signer paid more than four at once, as who sends advertisements or poison does
 * - `dust`: no payment of the coin is as large as the fee and the rent of an empty account together
 * - `tokens`: tokens alone left: several at once are a loss, one of no known worth is not
 * - `transfer`: the signer paid coin to a few others and got nothing
 */
const ruleOf = (answer: NodeAnswer): string => {
  const { meta, transaction } = answer;
  const signer = transaction.message.accountKeys[0]?.pubkey;
  if (meta.err !== null) return 'nothing';
  const parsed = instructionsOf(answer).flatMap((each) => each.parsed ?? []);
  const handed = parsed.some(
    ({ type, info }) => type === 'setAuthority' && info.authorityType === 'accountOwner',
  );
  if (handed) return 'authority';
  const changes = tokenChanges(answer);
  const coin = (meta.postBalances[0] ?? 0) - (meta.preBalances[0] ?? 0) + meta.fee;
  if (changes.some((change) => change > 0n) || coin > 0) return 'exchanged';
  // Who opens an account pays it, too.
  const paid = parsed.flatMap(({ type, info }) =>
    ['transfer', 'createAccount'].includes(type) &&
    info.source === signer &&
    typeof info.lamports === 'number' &&
    info.owner !== 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
      ? [{ to: String(info.destination ?? 'an account it opened'), lamports: info.lamports }]
      : [],
  );
  if (new Set(paid.map(({ to }) => to)).size > SPLIT_MAX) return 'many';
  if (changes.some((change) => change < 0n)) return 'tokens';
  if (paid.length === 0) return 'nothing';
  return paid.every(({ lamports }) => lamports < DUST_LAMPORTS) ? 'dust' : 'transfer';
};

const DUST_LAMPORTS = 895_880;

const solana = findChain('solana');

/** As answered for whoever got most directly from the signer: what happened to the signer. */
const toldOf = async (raw: unknown): Promise<string> => {
  const block = {
    ...{ blockhash: 'block', previousBlockhash: 'parent', parentSlot: 1, transactions: [raw] },
    rewards: [{ pubkey: 'leader', lamports: 0, rewardType: 'Fee' }],
  };
  const blocks = [decodeSolanaBlock({ block, slot: 2, chain: 'solana', votes: 'each' })];
  const [decoded] = blocks;
  const sender = decoded?.transactions[0]?.sender;
  const paid = (decoded?.movements ?? []).filter(
    ({ kind, from, to }) =>
      from === sender && to !== null && ['transfer', 'program', 'owner_change'].includes(kind),
  );
  if (solana === null || sender === undefined || paid.length === 0) return 'none';
  const told = new Set<string>();
  for (const address of new Set(paid.flatMap(({ to }) => to ?? []))) {
    const report = await findVictims(
      { chain: solana, address, fromUnixSeconds: 0, toUnixSeconds: 4_294_967_295, limit: 10 },
      {
        cases: createMemoryCaseReader(blocks),
        funders: createMemoryFunderReader(blocks),
        controls: createMemoryControlReader(blocks),
        tokens: createMemoryTokenReader(blocks),
        reader: createMemoryReader(blocks),
        prices: createMemoryPriceReader(),
        assets: createMemoryAssetReader(),
        clock: { nowUnixMs: () => 0 },
        signal: new AbortController().signal,
      },
    );
    const victim = report.victims.find((each) => each.address === sender);
    for (const { method } of victim?.losses ?? []) told.add(method);
    const other = report.others.find((each) => each.address === sender);
    if (other !== undefined) told.add(other.reason);
  }
  return [...told].sort().join();
};

describeWithSharedData('real phishing transactions', () => {
  const read = (group: string): unknown[] =>
    readdirSync(sharedData(`solana/transactions/${group}`)).map((name) =>
      parseSolanaBlock(gunzipSync(readFileSync(sharedData(`solana/transactions/${group}/${name}`)))),
    );

  /** What may be told of each kind; of whoever bought something, anything but a loss. */
  const TOLD: Readonly<Record<string, RegExp>> = {
    authority: /^authority$/,
    nothing: /^none$/,
    exchanged: /^(none|((exchanged|own_wallet|dust|airdrop),?)+)$/,
    many: /^(airdrop|service)$/,
    dust: /^dust$/,
    tokens: /^(transfer|airdrop|airdrop,transfer)$/,
    transfer: /^transfer$/,
  };

  test.each([
    ['hack', { transfer: 12, dust: 17, many: 6, tokens: 4 }],
    ['nft-airdrop', { authority: 4, transfer: 12, nothing: 31, exchanged: 26 }],
  ])('%s: each is told by the rule of its kind', async (group, atLeast) => {
    const rules: string[] = [];
    const wrong: string[] = [];
    for (const raw of read(group)) {
      const rule = ruleOf(raw as NodeAnswer);
      const told = await toldOf(raw);
      rules.push(rule);
      if (!TOLD[rule]?.test(told)) wrong.push(`${rule} told as ${told}`);
    }
    expect(wrong).toEqual([]);
    for (const [rule, count] of Object.entries(atLeast))
      expect({ rule, enough: rules.filter((each) => each === rule).length >= count }).toEqual({
        rule,
        enough: true,
      });
  });
});
