import { NATIVE } from '../investigate/model/movement.ts';
import { pay, rawForUsd, type Stage, tryWrite } from './chain-side.ts';
import { frozenThief, tokenHandedOn, upgradableProgram } from './control-cases.ts';
import type { Person, Society } from './persons.ts';
import type { Random } from './random.ts';
import type { CaseTruth } from './truth.ts';

type Plan = {
  readonly stage: Stage;
  readonly society: Society;
  readonly random: Random;
  readonly at: number;
};

const HOUR = 3_600;
const DAY = 24 * HOUR;

/** Cases of each sort per chain. */
const EACH = 3;

/** Addresses that are easily mistaken. Only on request: their transactions shift the numbers of everything else. */
export const startProfileCases = (stage: Stage, societies: readonly Society[]): void => {
  for (const society of societies) {
    for (let at = 1; at <= EACH; at++) {
      const random = stage.random.fork(`profile case ${society.side.chain} ${at}`);
      const plan: Plan = { stage, society, random, at };
      for (const start of [
        celebrity,
        shop,
        coldWallet,
        bot,
        drainedVictim,
        farReceiver,
        directReceiver,
        farPayer,
      ])
        start(plan);
      const control = { ...plan, newWallet: (feesUsd?: number) => newWallet(plan, feesUsd) };
      for (const start of [frozenThief, tokenHandedOn, upgradableProgram]) start(control);
    }
  }
};

const tell = ({ stage, society }: Plan, truth: Omit<CaseTruth, 'type' | 'chain'>): void => {
  stage.truth.line({ type: 'case', chain: society.side.chain, ...truth });
};

const UNGRADED = { in: null, out: null };

/** In whole stablecoin dollars, so that shares are known exactly. */
const payUsd = ({ stage, society: { side } }: Plan, from: string, to: string, usd: number): boolean =>
  pay(side, from, to, side.usdc.asset, rawForUsd(stage, side.usdc, usd)) !== null;

const withdraw = ({ stage, society }: Plan, to: string, usd: number): void => {
  const { side, exchanges } = society;
  exchanges[1]?.withdraw(to, side.usdc.asset, rawForUsd(stage, side.usdc, usd));
};

const newWallet = ({ stage, society: { side } }: Plan, feesUsd = 40): string => {
  const address = side.writer.newAddress();
  // Coin for fees from before the world.
  side.writer.endow(address, NATIVE, rawForUsd(stage, side.native, feesUsd));
  return address;
};

/** A known bad party with money from before the world. */
const newCulprit = (plan: Plan, kind: 'sanctioned' | 'hack', name: string): string => {
  const { stage, society } = plan;
  const { side } = society;
  const address = newWallet(plan);
  side.writer.endow(address, side.usdc.asset, rawForUsd(stage, side.usdc, 2_000_000));
  stage.truth.label(side.chain, address, `${name} ${plan.at}`, kind, true);
  return address;
};

const walletOf = (person: Person): string | null => person.wallets[0] ?? null;

/** Gets dust from a sanctioned party, as hundreds of others do. */
const celebrity = (plan: Plan): void => {
  const { stage, random, society } = plan;
  const star = newWallet(plan);
  const culprit = newCulprit(plan, 'sanctioned', 'Duster');
  for (let day = 0; day < 8; day++)
    stage.simulation.after(DAY * (day + random.unit()), () =>
      withdraw(plan, star, 20_000 + random.below(20_000)),
    );
  stage.simulation.after(9 * DAY, () => {
    payUsd(plan, culprit, star, 8);
    for (let other = 0; other < 20; other++) {
      const wallet = walletOf(random.pick(society.people));
      if (wallet !== null) payUsd(plan, culprit, wallet, 8);
    }
  });
  tell(plan, {
    ...{ address: star, name: 'celebrity', identity: 'wallet', level: 'none', behaviours: [] },
    exposure: { in: { exchange: 1, sanctioned: 0 }, out: null },
  });
};

/** Many pay it, it pays some back, and the rest goes to its exchange. */
const shop = (plan: Plan): void => {
  const { stage, random, society } = plan;
  const { side, exchanges } = society;
  const till = newWallet(plan);
  for (let sale = 0; sale < 160; sale++)
    stage.simulation.after(DAY * (1 + 10 * random.unit()), () => {
      const customer = walletOf(random.pick(society.people));
      if (customer === null || !payUsd(plan, customer, till, 5 + random.below(200))) return;
      if (random.chance(0.15)) stage.simulation.after(HOUR, () => payUsd(plan, till, customer, 5));
    });
  for (let day = 2; day < 13; day++)
    stage.simulation.after(DAY * day, () => {
      const held = side.writer.balance(till, side.usdc.asset);
      exchanges[0]?.deposit(till, side.usdc.asset, (held * 9n) / 10n, `shop ${till}`);
    });
  tell(plan, {
    address: till,
    name: 'shop',
    identity: 'wallet',
    level: null,
    behaviours: [],
    exposure: UNGRADED,
  });
};

/** An exchange's cold wallet: money only goes in. */
const coldWallet = (plan: Plan): void => {
  const { stage, random, society } = plan;
  const cold = society.side.writer.newAddress();
  const hot = society.exchanges[0]?.hotWallets ?? [];
  for (let move = 0; move < 8; move++)
    stage.simulation.after(DAY * (move + random.unit()), () => {
      // From hot wallets that every list knows.
      const from = hot[move % 2];
      if (from !== undefined) payUsd(plan, from, cold, 300_000 + random.below(300_000));
    });
  tell(plan, {
    ...{ address: cold, name: 'cold wallet', identity: 'exchange', level: 'none', behaviours: [] },
    exposure: { in: { exchange: 1 }, out: null },
  });
};

/** Pays the same few every half hour, day and night. */
const bot = (plan: Plan): void => {
  const { stage, random } = plan;
  // 120 payments at the highest fees.
  const machine = newWallet(plan, 1_000);
  const payees = [newWallet(plan), newWallet(plan)];
  stage.simulation.after(HOUR, () => withdraw(plan, machine, 5_000));
  for (let beat = 0; beat < 120; beat++)
    stage.simulation.after(DAY + beat * 1_800, () =>
      payUsd(plan, machine, random.pick(payees), 1 + random.below(9)),
    );
  tell(plan, {
    ...{ address: machine, name: 'bot', identity: 'wallet', level: 'none', behaviours: ['bot'] },
    exposure: { in: { exchange: 1 }, out: null },
  });
};

/** A known thief takes all its dollars by an allowance. */
const drainedVictim = (plan: Plan): void => {
  const { stage, society } = plan;
  const { side } = society;
  const victim = newWallet(plan);
  const thief = newCulprit(plan, 'hack', 'Snatcher');
  stage.simulation.after(DAY, () => withdraw(plan, victim, 6_000));
  stage.simulation.after(3 * DAY, () => {
    const { asset } = side.usdc;
    const amountRaw = side.writer.balance(victim, asset);
    const approve = { type: 'approve', owner: victim, spender: thief, asset, amountRaw } as const;
    if (amountRaw === 0n || tryWrite(side, { sender: victim, calls: [{ moves: [approve] }] }) === null)
      return;
    const take = { type: 'transfer', from: victim, to: thief, asset, amountRaw, authority: thief } as const;
    tryWrite(side, { sender: thief, calls: [{ moves: [take] }] });
  });
  tell(plan, {
    ...{ address: victim, name: 'drained victim', identity: 'wallet', level: 'low', behaviours: ['emptied'] },
    exposure: { in: { exchange: 1 }, out: { hack: 1 } },
  });
};

/** Half of its money was stolen and came through an unknown wallet. */
const farReceiver = (plan: Plan): void => {
  const { stage } = plan;
  const [mule, receiver] = [newWallet(plan), newWallet(plan)];
  const thief = newCulprit(plan, 'hack', 'Burglar');
  stage.simulation.after(DAY, () => withdraw(plan, mule, 10_000));
  stage.simulation.after(2 * DAY, () => payUsd(plan, thief, mule, 10_000));
  stage.simulation.after(3 * DAY, () => payUsd(plan, mule, receiver, 15_000));
  // Later receipts say nothing about earlier payments.
  stage.simulation.after(4 * DAY, () => payUsd(plan, thief, mule, 30_000));
  tell(plan, {
    ...{ address: receiver, name: 'far receiver', identity: 'wallet', level: 'high', behaviours: [] },
    exposure: { in: { hack: 0.5, exchange: 0.5 }, out: null },
  });
};

/** Three tenths came directly from a sanctioned address. */
const directReceiver = (plan: Plan): void => {
  const { stage } = plan;
  const receiver = newWallet(plan);
  const culprit = newCulprit(plan, 'sanctioned', 'Envoy');
  stage.simulation.after(DAY, () => withdraw(plan, receiver, 7_000));
  stage.simulation.after(2 * DAY, () => payUsd(plan, culprit, receiver, 3_000));
  tell(plan, {
    ...{ address: receiver, name: 'direct receiver', identity: 'wallet', level: 'critical', behaviours: [] },
    exposure: { in: { sanctioned: 0.3, exchange: 0.7 }, out: null },
  });
};

/** A fifth of its payments reaches a sanctioned address two wallets on. */
const farPayer = (plan: Plan): void => {
  const { stage } = plan;
  const [payer, first, second] = [newWallet(plan), newWallet(plan), newWallet(plan)];
  const culprit = newCulprit(plan, 'sanctioned', 'Bagman');
  stage.simulation.after(DAY, () => withdraw(plan, payer, 10_000));
  stage.simulation.after(2 * DAY, () => payUsd(plan, payer, first, 5_000));
  stage.simulation.after(3 * DAY, () => payUsd(plan, first, second, 2_500));
  stage.simulation.after(4 * DAY, () => payUsd(plan, second, culprit, 1_000));
  tell(plan, {
    ...{ address: payer, name: 'far payer', identity: 'wallet', level: 'medium', behaviours: [] },
    exposure: { in: { exchange: 1 }, out: { sanctioned: 0.2 } },
  });
};
