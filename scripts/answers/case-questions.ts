import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { decodeEvmBlock } from '../../services/ingest/evm/decode-evm-block.ts';
import { decodeSolanaBlock } from '../../services/ingest/solana/decode-solana-block.ts';
import { parseSolanaBlock } from '../../services/ingest/solana/encoding/parse-solana-block.ts';
import type { DecodedBlock } from '../../services/investigate/model/block.ts';
import { findChain } from '../../services/investigate/model/chain.ts';
import { NATIVE } from '../../services/investigate/model/movement.ts';
import { readFollowCase, toBlocks } from '../evaluate/follow-case.ts';
import { readMixerEvents } from '../evaluate/mixer-events.ts';
import { type Asked, askFlow, askProfile, askTrace, askTraces, askTrail, askVictims } from './questions.ts';
import type { Known } from './readers.ts';
import { takeEvenly } from './world-questions.ts';

export type AskedCase = {
  readonly name: string;
  readonly blocks: readonly DecodedBlock[];
  readonly known: Known;
  readonly questions: readonly Asked[];
};

const WALLETS_OF_BLOCK = 8;
const MIXER_TRACES = 100;

/** Real thefts, a real mixer's history, and real blocks of both kinds of chain, in the layout of the shared data. */
export async function* readAskedCases(folder: string): AsyncGenerator<AskedCase> {
  for (const name of readdirSync(join(folder, 'truth/follow')).sort()) {
    const { chain, transfers, starts } = await readFollowCase(join(folder, 'truth/follow', name));
    const flow = starts.map(({ address: start, sinceUnixSeconds }) => ({
      ...{ start, atUnixSeconds: sinceUnixSeconds, amount: null, counterparty: null },
    }));
    const wallets = takeEvenly([...new Set(transfers.flatMap(({ from, to }) => [from, to]))].sort(), 100);
    const questions = [
      askFlow('all', { chain, canonicalAsset: NATIVE, starts: flow }),
      ...wallets.flatMap((address) => [
        askTrail('on', { chain, address }),
        askTrail('back', { chain, address, backward: true }),
        askProfile({ chain, address }),
      ]),
    ];
    yield { name, blocks: toBlocks(chain, transfers), known: {}, questions };
  }
  yield await readMixer(join(folder, 'truth/mixer/tornado'));
  yield* readBlocks(folder);
}

const readMixer = async (folder: string): Promise<AskedCase> => {
  const { blocks, services } = await readMixerEvents(folder);
  const chain = findChain('ethereum');
  if (chain === null) throw new Error('no ethereum');
  const rows = blocks.flatMap((block) =>
    block.movements.flatMap(({ from, to, txIndex }) => {
      const direction = services.has(to ?? '') ? ('out' as const) : ('in' as const);
      const [wallet, counterparty] = direction === 'out' ? [from, to] : [to, from];
      const signature = block.transactions.find((each) => each.txIndex === txIndex)?.hash;
      if (!wallet?.startsWith('0x') || counterparty === null || signature === undefined) return [];
      return [{ wallet, counterparty, direction, signature, timeUnixSeconds: block.timeUnixSeconds ?? 0 }];
    }),
  );
  const requests = takeEvenly(rows, MIXER_TRACES).map((row) => ({
    ...{ chain, ...row, coin: 0, usd: 0, windowSeconds: null },
    missing: ['sol', 'usd'] as const,
  }));
  return {
    ...{ name: 'mixer', blocks, known: { services } },
    questions: [...requests.map(askTrace), askTraces('of a mixer', requests)],
  };
};

function* readBlocks(folder: string): Generator<AskedCase> {
  for (const chain of readdirSync(join(folder, 'evm'), { withFileTypes: true })) {
    if (!chain.isDirectory() || findChain(chain.name) === null) continue;
    for (const number of readdirSync(join(folder, 'evm', chain.name)).sort()) {
      const at = join(folder, 'evm', chain.name, number);
      const [block, receipts, traces] = ['block', 'receipts', 'traces'].map((part) =>
        readJson(join(at, part)),
      );
      if (block === null || receipts === null) continue;
      const decoded = decodeEvmBlock({ chain: chain.name, block, receipts, traces });
      yield ofBlock(`${chain.name} ${number}`, decoded);
    }
  }
  for (const group of ['hack', 'swaps']) {
    const at = join(folder, 'solana/transactions', group);
    for (const name of takeEvenly(readdirSync(at).sort(), 20)) {
      const transaction = parseSolanaBlock(gunzipSync(readFileSync(join(at, name))));
      const block = {
        ...{ blockhash: 'block', previousBlockhash: 'parent', parentSlot: 1, transactions: [transaction] },
        rewards: [{ pubkey: 'leader', lamports: 0, rewardType: 'Fee' }],
      };
      yield ofBlock(name, decodeSolanaBlock({ block, slot: 2, chain: 'solana', votes: 'each' }));
    }
  }
}

const readJson = (path: string): unknown =>
  existsSync(`${path}.json.gz`) ? JSON.parse(gunzipSync(readFileSync(`${path}.json.gz`)).toString()) : null;

const ofBlock = (name: string, block: DecodedBlock): AskedCase => {
  const chain = findChain(block.chain);
  if (chain === null) throw new Error(`chain ${block.chain} is not known`);
  const times = new Map<string, number>();
  for (const { from, to } of block.movements)
    for (const wallet of [from, to]) if (wallet !== null) times.set(wallet, (times.get(wallet) ?? 0) + 1);
  const busiest = [...times].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([address]) => address);
  const questions = busiest
    .slice(0, WALLETS_OF_BLOCK)
    .flatMap((address) => [
      askTrail('on', { chain, address }),
      askTrail('back', { chain, address, backward: true }),
      askProfile({ chain, address }),
      askVictims({ chain, address }),
    ]);
  return { name, blocks: [block], known: {}, questions };
};
