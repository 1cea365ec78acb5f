import { NATIVE } from '../../investigate/model/movement.ts';
import { pay, rawForUsd, type Stage } from '../chain-side.ts';
import type { Society } from '../persons.ts';
import type { TruthLine } from '../truth.ts';
import type { Written } from '../writer.ts';
import {
  collectionWallets,
  type FlowPlan,
  mergingPeelChains,
  planFlow,
  throughSharedWallet,
} from './plan-flow.ts';

type FlowTruth = Extract<TruthLine, { type: 'flow' }>;

const EACH = 2;
const DAY = 86_400;
const HOUR = 3_600;

/** Only on request: their transactions shift the numbers of everything else. */
export const startFlows = (stage: Stage, societies: readonly Society[]): void => {
  for (const society of societies) {
    for (let at = 0; at < EACH; at += 1) {
      startFlow(stage, society, `peel-${at}`, mergingPeelChains);
      startFlow(stage, society, `collect-${at}`, collectionWallets);
      const shared = society.side.writer.newAddress();
      endowFees(stage, society, shared);
      for (const thief of ['one', 'other'])
        startFlow(stage, society, `shared-${at}-${thief}`, throughSharedWallet(shared), at);
    }
  }
};

const endowFees = (stage: Stage, { side }: Society, wallet: string): void =>
  side.writer.endow(wallet, NATIVE, rawForUsd(stage, side.native, 200));

const startFlow = (
  stage: Stage,
  society: Society,
  label: string,
  pattern: Parameters<typeof planFlow>[0],
  together: number | null = null,
): void => {
  const { side } = society;
  const { asset } = side.usdc;
  const random = stage.random.fork(`flow ${side.chain} ${label}`);
  const owner = `${side.chain}-flow-${label}`;
  const newWallet = (): string => {
    const address = side.writer.newAddress();
    stage.truth.own(owner, 'thief', side.chain, address);
    endowFees(stage, society, address);
    return address;
  };
  const lootRaw = rawForUsd(stage, side.usdc, random.logNormal(120_000, 0.7));
  const plan = planFlow(pattern, { random, newWallet, lootRaw });
  const victim = side.writer.newAddress();
  endowFees(stage, society, victim);
  side.writer.endow(victim, asset, lootRaw);
  // Thieves who share a wallet use it on the same days.
  const day = together === null ? 1 + 6 * random.unit() : 1 + together + 0.2 * random.unit();
  const since = Math.floor(stage.startUnixSeconds + day * DAY);
  stage.simulation.at(since - HOUR, () => void pay(side, victim, plan.start, asset, lootRaw));
  const edges = schedule(stage, society, plan, since);
  const closing = payIn(stage, society, { plan, since, owner, edges });
  stage.truth.atEnd(() => {
    // After a failed payment the plan no longer holds, so the theft is left out of the truth.
    if (edges.length !== plan.payments.length + closing.length) return;
    const ends = plan.ends.map(({ wallet, reason }) => {
      const paidIn = closing.find(({ from }) => from === wallet);
      return { address: paidIn?.to ?? wallet, reason };
    });
    const starts = [{ address: plan.start, since, amount_raw: String(lootRaw) }];
    stage.truth.line({ type: 'flow', chain: side.chain, asset, owner, starts, edges: [...edges], ends });
  });
};

type Edge = FlowTruth['edges'][number];

const toEdge = (
  written: Written,
  { from, to, amountRaw }: { from: string; to: string; amountRaw: bigint },
): Edge => ({
  ...{ from, to, amount_raw: String(amountRaw), tx: written.hash, time: written.timeUnixSeconds },
});

const schedule = (stage: Stage, { side }: Society, { payments }: FlowPlan, since: number): Edge[] => {
  const edges: Edge[] = [];
  for (const payment of payments)
    stage.simulation.at(since + payment.afterSeconds, () => {
      const { from, to, amountRaw } = payment;
      const written = pay(side, from, to, side.usdc.asset, amountRaw);
      if (written !== null) edges.push(toEdge(written, payment));
    });
  return edges;
};

type Closing = {
  readonly plan: FlowPlan;
  readonly since: number;
  readonly owner: string;
  readonly edges: Edge[];
};

/** The thief's own account: a deposit address without other users. */
const payIn = (stage: Stage, society: Society, { plan, since, owner, edges }: Closing) => {
  const { side, exchanges } = society;
  const last = plan.payments.reduce((latest, { afterSeconds }) => Math.max(latest, afterSeconds), 0);
  return plan.ends.flatMap(({ wallet, reason }, at) => {
    const exchange = exchanges[at % exchanges.length];
    if (reason !== 'exchange' || exchange === undefined) return [];
    const customer = `${owner}-${at}`;
    const to = exchange.depositAddressOf(customer);
    stage.simulation.at(since + last + HOUR * (1 + at), () => {
      const amountRaw = side.writer.balance(wallet, side.usdc.asset);
      const written = exchange.deposit(wallet, side.usdc.asset, amountRaw, customer);
      if (written !== null) edges.push(toEdge(written, { from: wallet, to, amountRaw }));
    });
    return [{ from: wallet, to }];
  });
};
