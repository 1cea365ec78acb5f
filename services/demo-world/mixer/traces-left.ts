import { NATIVE } from '../../investigate/model/movement.ts';
import { pay, type Stage, spendable } from '../chain-side.ts';
import { fundFromPerson, type Person, type PopularFunder, type Society } from '../persons.ts';
import type { Written } from '../writer.ts';

/** Mistakes by which an owner ties both sides of a mixer together. */
export type Mistake =
  | 'same_wallet'
  | 'direct_transfer'
  | 'shared_funder'
  | 'gas_by_depositor'
  | 'shared_deposit_address';

/** A mixer's user: depositing wallet, withdrawing wallets, and their ties. */
export type Ties = {
  readonly person: Person;
  readonly depositor: string;
  /** Families of evidence that are on the chain so far, by recipient. */
  readonly left: Map<string, Set<string>>;
  /** This owner's mistakes. */
  readonly mistakes: readonly Mistake[];
};

export type TiesOptions = {
  readonly stage: Stage;
  readonly society: Society;
  /** Unlabelled brokers who fund strangers, from a handful to hundreds: misleading shared funders. */
  readonly brokers: readonly PopularFunder[];
  readonly popularFunders: readonly PopularFunder[];
};

const HOUR = 3_600;

export const note = (ties: Ties, recipient: string, family: string): void => {
  const families = ties.left.get(recipient) ?? new Set<string>();
  families.add(family);
  ties.left.set(recipient, families);
};

/** An owner's wallet that funded both sides; a tie if both payments succeeded. */
const fundFromHub = (options: TiesOptions, ties: Ties, recipient: string, hub: string): void => {
  const { side } = options.society;
  const dropRaw = side.writer.feeReserveRaw * 2n;
  const paid = pay(side, hub, recipient, NATIVE, dropRaw);
  if (paid !== null) note(ties, recipient, 'shared_funder');
};

/** Gas for a withdrawing wallet; its source may identify the owner. */
export const giveGas = (options: TiesOptions, ties: Ties, recipient: string, hub: string | null): void => {
  const { society } = options;
  const { side } = society;
  const { person, depositor, mistakes } = ties;
  if (mistakes.includes('gas_by_depositor')) {
    const paid = pay(side, depositor, recipient, NATIVE, side.writer.feeReserveRaw * 2n);
    if (paid !== null) note(ties, recipient, 'gas_by_depositor');
    return;
  }
  if (hub !== null) {
    fundFromHub(options, ties, recipient, hub);
    return;
  }
  if (giveFirstCoins(options, person, recipient) === null) society.fund(person, recipient, side.native, 60);
};

/** Per hundred: gas bots, brokers, a friend, nobody. */
const FIRST_COINS = [50, 12, 12, 26];

/** From a funder of other wallets as well, so strangers may share it. null if nobody paid. */
const giveFirstCoins = (
  { brokers, popularFunders }: Pick<TiesOptions, 'brokers' | 'popularFunders'>,
  { random, friends }: Person,
  wallet: string,
): Written | null => {
  const friend = friends[random.below(Math.max(friends.length, 1))];
  const givers: readonly (() => Written | null)[] = [
    () => random.pick(popularFunders)(wallet),
    // Squared, so that some brokers have few customers.
    () => brokers[Math.floor(brokers.length * random.unit() ** 2)]?.(wallet) ?? null,
    () => (friend === undefined ? null : fundFromPerson(friend, wallet)),
  ];
  return givers[random.weighted(FIRST_COINS)]?.() ?? null;
};

/** A part goes to somebody whom the owner and others know. */
const payFriend = ({ society: { side } }: TiesOptions, { random, friends }: Person, wallet: string): void => {
  const friend = friends[random.below(Math.max(friends.length, 1))]?.wallets[0];
  if (friend !== undefined) pay(side, wallet, friend, NATIVE, (spendable(side, wallet, NATIVE) * 3n) / 10n);
};

type Spending = {
  readonly ties: Ties;
  readonly recipient: string;
  readonly otherDepositors: readonly string[];
};

/** What happens to the money afterwards, mostly without a hint at its owner. */
export const spendLater = (options: TiesOptions, { ties, recipient, otherDepositors }: Spending): void => {
  const { stage, society } = options;
  const { side } = society;
  const { person, depositor, mistakes } = ties;
  const { random } = person;
  const part = (share: number): bigint =>
    (spendable(side, recipient, NATIVE) * BigInt(Math.round(share * 1_000))) / 1_000n;
  stage.simulation.after(random.logNormal(9 * HOUR, 1.3), () => {
    if (mistakes.includes('direct_transfer')) {
      const paid = pay(side, recipient, depositor, NATIVE, part(0.2 + 0.7 * random.unit()));
      if (paid !== null) note(ties, recipient, 'direct_transfer');
      return;
    }
    if (mistakes.includes('shared_deposit_address')) {
      const out = person.exchange.deposit(recipient, NATIVE, part(0.95), person.id);
      const back = person.exchange.deposit(
        depositor,
        NATIVE,
        spendable(side, depositor, NATIVE) / 2n,
        person.id,
      );
      if (out !== null && back !== null) note(ties, recipient, 'shared_deposit_address');
      return;
    }
    const draw = random.unit();
    if (draw < 0.35) {
      // A second account: a careful mixer user thinks of that, too.
      person.exchange.deposit(recipient, NATIVE, part(0.97), `${person.id} (second account)`);
    } else if (draw < 0.38 && otherDepositors.length > 0) {
      // A payment to a stranger who also used the mixer: it looks like a tie and is none.
      pay(side, recipient, random.pick(otherDepositors), NATIVE, part(0.2));
    } else if (draw < 0.6) {
      payFriend(options, person, recipient);
    }
  });
};

const HELPED = 0.3;
const KNOWN_ELSEWHERE = 0.2;

/**
 * A depositing wallet may be fresh like others: somebody may have funded it, and it may pay others besides the
 * mixer.
 */
export const liveBeside = (options: TiesOptions, person: Person, depositor: string): void => {
  const { random } = person;
  if (random.chance(HELPED)) giveFirstCoins(options, person, depositor);
  if (random.chance(KNOWN_ELSEWHERE))
    options.stage.simulation.after(random.logNormal(9 * HOUR, 1.3), () =>
      payFriend(options, person, depositor),
    );
};
