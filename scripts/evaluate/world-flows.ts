import type { TruthLine } from '../../services/demo-world/truth.ts';
import { worldBlocks } from '../../services/demo-world/world-blocks.ts';
import { findChain } from '../../services/investigate/model/chain.ts';
import { say } from '../bench/bench-store.ts';
import type { CaseTransfer } from './case-transfer.ts';
import { type Drawing, drawStrangers } from './draw-decoys.ts';
import type { Judged } from './evaluate-graph.ts';
import { orderTransfers } from './order-transfers.ts';

type Flow = Extract<TruthLine, { type: 'flow' }>;

/**
 * The thefts of a generated world that split and join, each as a case among strangers: drawn ones, and the chain's
 * other thefts, which may share a wallet.
 */
export const worldFlows = (
  { seed, people }: { readonly seed: number; readonly people: number },
  drawing: Drawing,
): Judged[] => {
  const flows: Flow[] = [];
  const note = (line: TruthLine): void => void (line.type === 'flow' && flows.push(line));
  for (const _ of worldBlocks({ seed, people, flows: true }, note));
  say(`${flows.length} thefts of world ${seed}, ${flows.flatMap(({ edges }) => edges).length} payments`);
  return flows.map((flow, at) => {
    const others = flows.filter((other) => other !== flow && other.chain === flow.chain);
    const chain = findChain(flow.chain);
    if (chain === null) throw new Error(`chain ${flow.chain} is not known`);
    const transfers = orderTransfers(flow.edges.map(toTransfer));
    const starts = flow.starts.map(({ address, since, amount_raw }) => ({
      ...{ address, sinceUnixSeconds: since, amountRaw: BigInt(amount_raw) },
    }));
    const drawn = drawStrangers({ transfers }, { ...drawing, seed: drawing.seed + at });
    return {
      stolen: { chain, transfers, starts, refused: [] },
      strangers: [...drawn, ...others.flatMap(({ edges }) => edges.map(toTransfer))],
      terminals: flow.ends.map(({ address }) => address),
    };
  });
};

const toTransfer = ({ from, to, tx, time, amount_raw }: Flow['edges'][number]): CaseTransfer => ({
  ...{ timeUnixSeconds: time, txHash: tx, from, to, amountRaw: BigInt(amount_raw) },
});
