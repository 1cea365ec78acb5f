import { NATIVE } from '../investigate/model/movement.ts';
import {
  type ChainSide,
  pay,
  rawForUsd,
  type Stage,
  spendable,
  type TokenInfo,
  toAmount,
  toRaw,
} from './chain-side.ts';
import type { Exchange } from './exchange.ts';
import type { Random } from './random.ts';
import type { Written } from './writer.ts';

export type Person = {
  readonly id: string;
  readonly side: ChainSide;
  /** The first is the one that others know. */
  readonly wallets: string[];
  readonly random: Random;
  /** Average actions a day. */
  readonly activity: number;
  readonly exchange: Exchange;
  readonly friends: Person[];
};

export type Funding = 'exchange' | 'own' | 'friend' | 'popular' | 'before';

/** A first funder of half the chain, which says nothing about the receiver's owner. */
export type PopularFunder = (to: string) => Written | null;

export type Society = {
  readonly side: ChainSide;
  readonly people: readonly Person[];
  readonly exchanges: readonly Exchange[];
  /** A new wallet of that person, funded in one of its usual ways. */
  readonly openWallet: (person: Person, funding?: Funding) => string;
  /** Somebody with one purpose: a mixer's crowd, a swapper's customer. */
  readonly newcomer: (label: string) => Person;
  readonly fund: (person: Person, wallet: string, info: TokenInfo, usd: number) => Written | null;
};

/** How people choose amounts: most type round numbers, some send everything. */
export const humanAmount = (random: Random, info: TokenInfo, amountRaw: bigint): bigint => {
  const amount = toAmount(info, amountRaw);
  if (random.chance(0.4) || amount <= 0) return amountRaw;
  const step = 10 ** Math.floor(Math.log10(amount));
  const rounded = Math.max(Math.floor(amount / step), 1) * step;
  const half = random.chance(0.3) ? rounded + step / 2 : rounded;
  return toRaw(info, Math.min(half, amount));
};

const FUNDING_WEIGHTS: Readonly<Record<Exclude<Funding, 'before'>, number>> = {
  exchange: 0.4,
  own: 0.25,
  friend: 0.12,
  popular: 0.23,
};
const FUNDINGS = ['exchange', 'own', 'friend', 'popular'] as const;
/** People from before the world's first block. */
const OLD_TIMERS = 0.35;
const FIRST_BALANCE_USD = 3_000;

/** A part of somebody's holding; null if that is too little. */
export const fundFromPerson = (from: Person, to: string): Written | null => {
  const { side, random } = from;
  for (const wallet of from.wallets) {
    const available = spendable(side, wallet, NATIVE);
    const amountRaw = humanAmount(random, side.native, available / BigInt(random.between(2, 20)));
    if (wallet === to || amountRaw <= side.writer.feeReserveRaw) continue;
    const written = pay(side, wallet, to, NATIVE, amountRaw);
    if (written !== null) return written;
  }
  return null;
};

export type SocietyOptions = {
  readonly stage: Stage;
  readonly side: ChainSide;
  readonly exchanges: readonly Exchange[];
  readonly popularFunders: readonly PopularFunder[];
};

export const createSociety = ({ stage, side, exchanges, popularFunders }: SocietyOptions): Society => {
  const random = stage.random.fork(`society ${side.chain}`);
  const people: Person[] = [];
  let strangers = 0;
  const own = (person: Person, address: string): string => {
    person.wallets.push(address);
    stage.truth.own(person.id, 'person', side.chain, address);
    return address;
  };
  const newPerson = (id: string, kept: Random): Person => ({
    id,
    side,
    wallets: [],
    random: kept,
    // A few act hourly, most twice a week.
    activity: Math.min(kept.logNormal(0.9, 1), 20),
    exchange: kept.pick(exchanges),
    friends: [],
  });
  const fund = (person: Person, wallet: string, info: TokenInfo, usd: number): Written | null =>
    person.exchange.withdraw(
      wallet,
      info.asset,
      humanAmount(person.random, info, rawForUsd(stage, info, usd)),
    );
  const open = (person: Person, funding: Funding): string => {
    const address = own(person, side.writer.newAddress());
    const usd = Math.min(person.random.logNormal(FIRST_BALANCE_USD, 1.2), 400_000);
    if (funding === 'before') {
      side.writer.endow(address, NATIVE, rawForUsd(stage, side.native, usd));
      if (person.random.chance(0.6))
        side.writer.endow(address, side.usdc.asset, rawForUsd(stage, side.usdc, usd));
      return address;
    }
    const friend = person.friends[person.random.below(Math.max(person.friends.length, 1))];
    const paid =
      funding === 'own'
        ? fundFromPerson(person, address)
        : funding === 'friend' && friend !== undefined
          ? fundFromPerson(friend, address)
          : funding === 'popular'
            ? person.random.pick(popularFunders)(address)
            : null;
    // A drop of gas is not enough, so people without friends buy at an exchange.
    if (paid === null || funding === 'popular') fund(person, address, side.native, usd);
    return address;
  };
  const openWallet = (person: Person, funding?: Funding): string => {
    const weights = FUNDINGS.map((each) => FUNDING_WEIGHTS[each]);
    return open(person, funding ?? FUNDINGS[person.random.weighted(weights)] ?? 'exchange');
  };
  const settle = (person: Person): void => {
    const count = 1 + person.random.weighted([0.3, 0.3, 0.2, 0.12, 0.08]);
    for (let wallet = 0; wallet < count; wallet++) {
      if (wallet === 0 && person.random.chance(OLD_TIMERS)) open(person, 'before');
      else {
        // New wallets appear in the first three fifths of the world, so trails have time to continue.
        const when = person.random.unit() * stage.days * 0.6 * 86_400 * (wallet === 0 ? 0.3 : 1);
        stage.simulation.after(when, () => openWallet(person));
      }
    }
  };
  for (let at = 0; at < stage.people; at++) {
    people.push(newPerson(`${side.chain}-person-${at + 1}`, random.fork(at)));
  }
  const befriend = (person: Person): void => {
    for (let friend = 0; friend < 4; friend++) {
      // Squared, so that some people know everybody.
      const other = people[Math.floor(people.length * person.random.unit() ** 2)];
      if (other !== undefined && other !== person) person.friends.push(other);
    }
  };
  for (const person of people) {
    befriend(person);
    settle(person);
  }
  return {
    side,
    people,
    exchanges,
    openWallet,
    newcomer: (label) => {
      const id = `${side.chain}-${label}-${++strangers}`;
      const person = newPerson(id, random.fork(id));
      befriend(person);
      return person;
    },
    fund,
  };
};
