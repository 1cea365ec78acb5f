import { NATIVE } from '../../investigate/model/movement.ts';
import { pay } from '../chain-side.ts';
import { countUpTo } from '../count-up-to.ts';
import type { Person } from '../persons.ts';
import type { Anchor } from '../truth.ts';
import type { Written } from '../writer.ts';
import type { FixedMixer } from './fixed-mixer.ts';
import { type PlannedSession, type PlannedUse, planMixerSessions } from './mixer-plan.ts';
import {
  giveGas,
  liveBeside,
  type Mistake,
  note,
  spendLater,
  type Ties,
  type TiesOptions,
} from './traces-left.ts';

export type MixerUsersOptions = TiesOptions & {
  readonly mixer: FixedMixer;
  /** 1: as many deposits a day as measured on the real mixer. */
  readonly scale: number;
};

type Link = {
  readonly pool: number;
  readonly ties: Ties;
  readonly recipient: string;
  readonly relayed: boolean;
  readonly sessionDeposits: number;
  readonly deposit: Written;
  readonly withdrawal: Written;
};

type Session = {
  readonly ties: Ties;
  readonly planned: PlannedSession;
  readonly hub: string | null;
  /** Everything goes to one wallet. */
  readonly oneRecipient: boolean;
  readonly recipients: string[];
  /** Withdrawals by pool and recipient, for the equal counts. */
  readonly deposited: Map<number, number>;
  readonly withdrawn: Map<string, Map<number, number>>;
};

const HOUR = 3_600;
const DAY = 86_400;
/** Most people make no visible mistake. */
const MISTAKES: readonly (readonly [number, readonly Mistake[]])[] = [
  [0.64, []],
  [0.08, ['same_wallet']],
  [0.07, ['direct_transfer']],
  [0.06, ['shared_funder']],
  [0.06, ['gas_by_depositor']],
  [0.06, ['shared_deposit_address']],
  [0.03, ['gas_by_depositor', 'direct_transfer']],
];

const anchorOf = (options: MixerUsersOptions, written: Written, wallet: string, pool: number): Anchor => ({
  chain: options.society.side.chain,
  tx: written.hash,
  wallet,
  time: written.timeUnixSeconds,
  asset: NATIVE,
  amount_raw: String(options.mixer.pools[pool]?.denominationRaw ?? 0n),
});

/** Owners with equal counts over several pools, all to one wallet: a profile that is rarely another's. */
const noteEqualCounts = ({ ties, deposited, withdrawn }: Session): void => {
  for (const [recipient, counts] of withdrawn) {
    const equal = [...deposited].every(([pool, count]) => counts.get(pool) === count);
    if (deposited.size >= 2 && equal) note(ties, recipient, 'equal_counts');
  }
};

export const startMixerUsers = (options: MixerUsersOptions): void => {
  const { stage, society, mixer } = options;
  const { side } = society;
  const random = stage.random.fork(`mixer users ${side.chain}`);
  const links: Link[] = [];
  const sessions: Session[] = [];
  const withdrawalTimes = mixer.pools.map((): number[] => []);
  const depositors: string[] = [];
  const end = stage.startUnixSeconds + stage.days * DAY;

  const choosePerson = (): Person =>
    random.chance(0.15) ? random.pick(society.people) : society.newcomer('mixer-user');

  /** The depositing wallet and its money: older than the world, or bought shortly before. */
  const prepareDepositor = (person: Person, uses: readonly PlannedUse[], hub: string | null): string => {
    const wallet = side.writer.newAddress();
    stage.truth.own(person.id, 'person', side.chain, wallet);
    let needRaw = side.writer.feeReserveRaw * 4n;
    let firstDeposit = Number.POSITIVE_INFINITY;
    for (const { pool, deposits } of uses) {
      for (const { deposit } of deposits) {
        if (deposit < stage.startUnixSeconds || deposit > end) continue;
        needRaw += (mixer.pools[pool]?.denominationRaw ?? 0n) + side.writer.feeReserveRaw;
        firstDeposit = Math.min(firstDeposit, deposit);
      }
    }
    if (firstDeposit > end) return wallet;
    const bought = firstDeposit - person.random.logNormal(3 * HOUR, 1.2);
    if (hub !== null) {
      side.writer.endow(hub, NATIVE, needRaw + side.writer.feeReserveRaw * 20n);
      stage.simulation.at(Math.max(bought, stage.startUnixSeconds), () => {
        pay(side, hub, wallet, NATIVE, needRaw);
      });
    } else if (bought < stage.startUnixSeconds || person.random.chance(0.2)) {
      side.writer.endow(wallet, NATIVE, needRaw + needRaw / BigInt(person.random.between(3, 40)));
    } else {
      stage.simulation.at(bought, () => {
        liveBeside(options, person, wallet);
        person.exchange.withdraw(wallet, NATIVE, needRaw + needRaw / BigInt(person.random.between(3, 40)));
      });
    }
    return wallet;
  };

  const recipientOf = (session: Session): string => {
    const { ties, recipients, oneRecipient, hub } = session;
    const { person, depositor, mistakes } = ties;
    if (mistakes.includes('same_wallet')) return depositor;
    const known = recipients[0];
    if (oneRecipient && known !== undefined) return known;
    const recipient = side.writer.newAddress();
    stage.truth.own(person.id, 'person', side.chain, recipient);
    recipients.push(recipient);
    const tied = mistakes.includes('gas_by_depositor') || hub !== null;
    if (tied) giveGas(options, ties, recipient, hub);
    return recipient;
  };

  const withdraw = (
    session: Session,
    pool: number,
    deposit: Written | null,
    sessionDeposits: number,
  ): void => {
    const { ties } = session;
    const recipient = recipientOf(session);
    const careless = ties.mistakes.includes('same_wallet') || ties.mistakes.includes('gas_by_depositor');
    const relayed = !careless && mixer.wantsRelayer(ties.person.random, pool);
    const hasGas = side.writer.balance(recipient, NATIVE) >= side.writer.feeReserveRaw;
    if (!relayed && !hasGas) giveGas(options, ties, recipient, session.hub);
    const withdrawal = mixer.withdraw(recipient, pool, relayed);
    if (withdrawal === null) return;
    withdrawalTimes[pool]?.push(withdrawal.timeUnixSeconds);
    const counts = session.withdrawn.get(recipient) ?? new Map<number, number>();
    counts.set(pool, (counts.get(pool) ?? 0) + 1);
    session.withdrawn.set(recipient, counts);
    if (recipient === ties.depositor) note(ties, recipient, 'same_wallet');
    else spendLater(options, { ties, recipient, otherDepositors: depositors });
    if (deposit !== null)
      links.push({ pool, ties, recipient, relayed, sessionDeposits, deposit, withdrawal });
  };

  const schedule = (session: Session, { pool, deposits }: PlannedUse): void => {
    for (const { deposit: paysAt, withdrawal: takesAt } of deposits) {
      if (paysAt < stage.startUnixSeconds) {
        stage.simulation.at(takesAt, () => withdraw(session, pool, null, deposits.length));
        continue;
      }
      stage.simulation.at(paysAt, () => {
        const paid = mixer.deposit(session.ties.depositor, pool);
        if (paid === null) return;
        session.deposited.set(pool, (session.deposited.get(pool) ?? 0) + 1);
        depositors.push(session.ties.depositor);
        stage.simulation.at(takesAt, () => withdraw(session, pool, paid, deposits.length));
      });
    }
  };

  const startSession = (planned: PlannedSession): void => {
    const person = choosePerson();
    const mistakes = MISTAKES[random.weighted(MISTAKES.map(([weight]) => weight))]?.[1] ?? [];
    const hub = mistakes.includes('shared_funder') ? side.writer.newAddress() : null;
    if (hub !== null) stage.truth.own(person.id, 'person', side.chain, hub);
    const depositor = prepareDepositor(person, planned.uses, hub);
    const session: Session = {
      ties: { person, depositor, left: new Map(), mistakes },
      planned,
      hub,
      oneRecipient: random.chance(planned.uses.length > 1 ? 0.35 : 0.6),
      recipients: [],
      deposited: new Map(),
      withdrawn: new Map(),
    };
    sessions.push(session);
    for (const use of planned.uses) schedule(session, use);
  };

  const { startUnixSeconds, days } = stage;
  for (const planned of planMixerSessions(random, { startUnixSeconds, days, scale: options.scale })) {
    startSession(planned);
  }
  stage.truth.atEnd(() => {
    for (const session of sessions) noteEqualCounts(session);
    for (const link of links) {
      const { pool, ties, recipient, deposit, withdrawal } = link;
      const families = [...(ties.left.get(recipient) ?? [])].sort();
      const times = withdrawalTimes[pool] ?? [];
      const after = deposit.timeUnixSeconds;
      stage.truth.line({
        type: 'mixer_link',
        chain: side.chain,
        mixer: mixer.name,
        pool: mixer.pools[pool]?.address ?? '',
        owner: ties.person.id,
        deposit: anchorOf(options, deposit, ties.depositor, pool),
        withdrawal: anchorOf(options, withdrawal, recipient, pool),
        evidence: families.length === 0 ? ['none'] : families,
        relayed: link.relayed,
        session_deposits: link.sessionDeposits,
        anonymity_set: countUpTo(times, after + DAY) - countUpTo(times, after),
      });
    }
  });
};
