import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { decodeSolanaBlock } from '../ingest/solana/decode-solana-block.ts';
import type { RawBlock } from '../ingest/solana/encoding/raw-block.ts';
import { isOnCurve } from '../investigate/model/on-curve.ts';
import { findSumRuleBreaks } from '../testing/solana/sum-rule.ts';
import type { WorldBlock } from './chain-side.ts';
import { createWorld, type World, type WorldOptions } from './create-world.ts';
import type { TruthLine } from './truth.ts';
import { decodeWorldBlock } from './world-blocks.ts';

const SMALL: WorldOptions = { seed: 21, people: 40, days: 7, blockSeconds: 600 };

type Run = { world: World; blocks: WorldBlock[]; truth: TruthLine[] };

const run = (options: WorldOptions): Run => {
  const truth: TruthLine[] = [];
  const world = createWorld(options, (line) => truth.push(line));
  return { world, blocks: [...world.blocks()], truth };
};

const hashOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex');

const small = run(SMALL);
const decoded = small.blocks.map((block) => ({ family: block.family, ...decodeWorldBlock(block) }));

const linesOf = <Type extends TruthLine['type']>(type: Type): Extract<TruthLine, { type: Type }>[] =>
  small.truth.filter((line): line is Extract<TruthLine, { type: Type }> => line.type === type);

test('the same seed gives the same blocks and the same truth, another seed another world', () => {
  const again = run(SMALL);
  expect(hashOf(again.blocks)).toBe(hashOf(small.blocks));
  expect(hashOf(again.truth)).toBe(hashOf(small.truth));
  expect(hashOf(run({ ...SMALL, seed: 22, days: 1 }).blocks)).not.toBe(
    hashOf(run({ ...SMALL, days: 1 }).blocks),
  );
});

test('every block of the world decodes without a problem or an exemption', () => {
  expect(decoded.length).toBeGreaterThan(1_000);
  for (const { number, problems, exempt } of decoded)
    expect({ number, problems, exempt }).toEqual({ number, problems: [], exempt: {} });
});

test('who made a launched token, and who may spend whose, is told on EVM chains', () => {
  const events = decoded.flatMap(({ family, controlEvents }) => (family === 'evm' ? controlEvents : []));
  for (const { chain, token, creator } of linesOf('launch')) {
    if (chain === 'solana') continue;
    const made = events.filter(({ subject, kind }) => subject === token && kind === 'contract_created');
    expect(made).toMatchObject([{ holder: creator }]);
  }
  const kinds = new Set(events.map(({ kind }) => kind));
  expect([...kinds].sort()).toEqual(['approval', 'authority_changed', 'calls', 'contract_created']);
});

test('the sum rule holds for every party of every Solana transaction', () => {
  let transactions = 0;
  for (const block of small.blocks) {
    if (block.family !== 'solana') continue;
    const decoded = decodeSolanaBlock({
      block: block.result,
      slot: block.number,
      chain: 'solana',
      votes: 'each',
    });
    // The world's writer types less of a transaction than it writes.
    expect(findSumRuleBreaks(block.result as unknown as RawBlock, decoded)).toEqual([]);
    transactions += decoded.transactions.length;
  }
  expect(transactions).toBeGreaterThan(1_000);
});

test('wallets of Solana are points of the curve; token accounts and pools are none', () => {
  const ofSolana = linesOf('owner').flatMap(({ kind, wallets }) =>
    wallets.flatMap(({ chain, address }) => (chain === 'solana' ? [{ kind, address }] : [])),
  );
  const persons = ofSolana.filter(({ kind }) => kind === 'person').map(({ address }) => address);
  const lookalikes = linesOf('lookalike').flatMap((line) => (line.chain === 'solana' ? [line.address] : []));
  expect(persons.length).toBeGreaterThan(50);
  expect([...persons, ...lookalikes].filter((address) => !isOnCurve(address))).toEqual([]);
  const accounts = new Set<string | undefined>();
  for (const block of small.blocks) {
    if (block.family !== 'solana') continue;
    for (const { transaction, meta } of block.result.transactions) {
      const loaded = meta.loadedAddresses as { writable: string[]; readonly: string[] };
      const keys = [...transaction.message.accountKeys, ...loaded.writable, ...loaded.readonly];
      for (const { accountIndex } of meta.postTokenBalances as { accountIndex: number }[])
        accounts.add(keys[accountIndex]);
    }
  }
  expect(accounts.size).toBeGreaterThan(50);
  expect([...accounts].filter((account = '') => account === '' || isOnCurve(account))).toEqual([]);
});

test('the decoded movements of Ethereum lead from the first balances to the last, wei for wei', () => {
  const before = createWorld(SMALL);
  const after = small.world;
  const changes = new Map<string, bigint>();
  const add = (party: string | null, asset: string, amountRaw: bigint): void => {
    if (party === null) return;
    const key = `${party} ${asset}`;
    changes.set(key, (changes.get(key) ?? 0n) + amountRaw);
  };
  for (const { family, movements } of decoded) {
    if (family !== 'evm') continue;
    for (const { from, to, asset, amountRaw } of movements) {
      add(from, asset, -amountRaw);
      add(to, asset, amountRaw);
    }
  }
  expect(changes.size).toBeGreaterThan(500);
  for (const [key, changeRaw] of changes) {
    const [party = '', asset = ''] = key.split(' ');
    const booked = after.balance('ethereum', party, asset) - before.balance('ethereum', party, asset);
    expect({ key, changeRaw }).toEqual({ key, changeRaw: booked });
  }
});

test('blocks of each chain follow one another in number, hash and time', () => {
  for (const family of ['solana', 'evm'] as const) {
    const chain = decoded.filter((block) => block.family === family);
    for (const [at, block] of chain.slice(1).entries()) {
      const parent = chain[at];
      expect(block.parentHash).toBe(parent?.hash);
      expect(block.parentNumber).toBe(parent?.number);
      expect(block.timeUnixSeconds).toBeGreaterThan(parent?.timeUnixSeconds ?? 0);
    }
  }
});

test('at least half of the linked withdrawals of the mixers leave no evidence, and some leave each family', () => {
  const links = linesOf('mixer_link');
  const without = links.filter(({ evidence }) => evidence[0] === 'none').length;
  expect(links.length).toBeGreaterThan(50);
  expect(without / links.length).toBeGreaterThanOrEqual(0.5);
  const families = new Set(links.flatMap(({ evidence }) => evidence));
  for (const family of [
    'same_wallet',
    'direct_transfer',
    'shared_funder',
    'gas_by_depositor',
    'shared_deposit_address',
    'exact_amount',
    'fee_fit',
  ]) {
    expect(families).toContain(family);
  }
});

test('the truth names a trail for every end reason, and each transaction that it names is in a block', () => {
  expect(new Set(linesOf('trail').map(({ end }) => end.reason))).toEqual(
    new Set(['exchange', 'bridge', 'mixer', 'dex_swap', 'split', 'at_rest', 'loop', 'max_hops', 'no_data']),
  );
  const hashes = new Set(decoded.flatMap(({ transactions }) => transactions.map(({ hash }) => hash)));
  const anchors = [...linesOf('mixer_link'), ...linesOf('exchange_link')].flatMap(
    ({ deposit, withdrawal }) => [deposit.tx, withdrawal.tx],
  );
  const losses = linesOf('drainer').flatMap(({ victims }) => victims.map(({ tx }) => tx));
  expect(losses.length).toBeGreaterThan(0);
  for (const tx of [...anchors, ...losses, ...linesOf('launch').map(({ tx }) => tx)]) {
    expect(hashes.has(tx)).toBe(true);
  }
});

test('a look-alike shows the same first and last four characters as the address it apes', () => {
  const lookalikes = linesOf('lookalike');
  expect(lookalikes.length).toBeGreaterThan(10);
  for (const { chain, address, of } of lookalikes) {
    const head = chain === 'solana' ? 4 : 6;
    expect(address).not.toBe(of);
    expect([address.slice(0, head), address.slice(-4)]).toEqual([of.slice(0, head), of.slice(-4)]);
  }
});

test('the examples of a world are trails whose truth says the same end', () => {
  const world = createWorld(SMALL);
  const trails = linesOf('trail');
  const examples = world.examples();
  expect(examples.map(({ chain }) => chain)).toEqual(['solana', 'ethereum', 'ethereum']);
  for (const { start, since, expectedEnd } of examples) {
    const trail = trails.find((each) => each.start === start);
    expect(trail).toMatchObject({ since, end: { reason: expectedEnd } });
    expect(trail?.hops.length).toBeGreaterThanOrEqual(2);
  }
});
