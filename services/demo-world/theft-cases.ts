import { NATIVE } from '../investigate/model/movement.ts';
import { pay, rawForUsd, type Stage } from './chain-side.ts';
import type { Dex } from './dex.ts';
import { lookalikeOf } from './lookalike.ts';
import { createOpenGrants } from './open-grants.ts';
import type { Society } from './persons.ts';
import {
  held,
  type Loss,
  newVictim,
  newWallet,
  note,
  spendAllowance,
  type Theft,
  takeFrom,
} from './theft-methods.ts';

const DAY = 86_400;
const HOUR = 3_600;
const VICTIMS = 40;
const EACH = 3;

/** Drained twice, paid back whole or in part, moved by its owner before the thief comes. */
const hardVictims = (theft: Theft): void => {
  const { stage, society, losses } = theft;
  const { side } = society;
  const { asset } = side.usdc;
  const later = (days: number, run: () => void) => stage.simulation.after(days * DAY, run);
  for (let each = 0; each < EACH; each++) {
    const [twice, refunded, half, saved] = [
      newVictim(theft),
      newVictim(theft),
      newVictim(theft),
      newVictim(theft),
    ];
    later(2, () => spendAllowance(theft, twice, asset, 0.5));
    later(4, () => spendAllowance(theft, twice, asset, 1));
    const rescue = newWallet(theft);
    later(3, () =>
      spendAllowance(theft, saved, asset, 1, {
        before: () => void pay(side, saved, rescue, asset, held(theft, saved, asset)),
      }),
    );
    for (const [victim, percent] of [
      [refunded, 100n],
      [half, 40n],
    ] as const) {
      later(3, () => spendAllowance(theft, victim, asset, 1));
      later(6, () => {
        const lost = losses.find(({ address }) => address === victim);
        if (lost === undefined) return;
        // Partners hold most of the loot, so the thief pays back from older money.
        side.writer.endow(theft.thief, asset, BigInt(lost.amount_raw));
        const back = pay(side, theft.thief, victim, asset, (BigInt(lost.amount_raw) * percent) / 100n);
        if (back !== null && percent === 100n) losses.splice(losses.indexOf(lost), 1);
      });
    }
  }
};

/** Payments that are no losses: trades, customers, dust, an airdrop, an exchange's money. */
const keepBusiness = (theft: Theft): void => {
  const { stage, society, dex, random, thief } = theft;
  const { side, people, exchanges } = society;
  const usd = (amount: number) => rawForUsd(stage, side.usdc, amount);
  const walletOf = () => random.pick(people).wallets[0];
  for (let each = 0; each < 8; each++) {
    stage.simulation.after(
      DAY * (1 + 10 * random.unit()),
      () => void dex.swap(thief, NATIVE, rawForUsd(stage, side.native, 50), side.usdc.asset),
    );
    stage.simulation.after(DAY * (1 + 10 * random.unit()), () => {
      const customer = walletOf();
      const price = 40 + random.below(200);
      if (customer === undefined || pay(side, customer, thief, side.usdc.asset, usd(price)) === null) return;
      side.writer.endow(thief, NATIVE, rawForUsd(stage, side.native, 2 * price));
      pay(side, thief, customer, NATIVE, rawForUsd(stage, side.native, price * 0.97));
    });
    stage.simulation.after(DAY * (1 + 10 * random.unit()), () => {
      const stranger = walletOf();
      if (stranger !== undefined) pay(side, stranger, thief, side.usdc.asset, usd(1));
      exchanges[1]?.withdraw(thief, NATIVE, rawForUsd(stage, side.native, 30));
    });
  }
};

/** A thief with a look-alike of a friend's address: the victim copies it from its history. */
const poison = (theft: Theft, at: number): void => {
  const { stage, society } = theft;
  const { side } = society;
  const { asset } = side.usdc;
  const friend = newWallet(theft);
  const poisoner = lookalikeOf(side, friend);
  side.writer.endow(poisoner, NATIVE, rawForUsd(stage, side.native, 50));
  side.writer.endow(poisoner, asset, rawForUsd(stage, side.usdc, 1));
  const losses: Loss[] = [];
  const own = { ...theft, losses };
  for (let each = 0; each < EACH; each++) {
    const victim = newVictim(theft);
    stage.simulation.after(DAY * (2 + at), () =>
      pay(side, victim, friend, asset, held(theft, victim, asset) / 10n),
    );
    stage.simulation.after(DAY * (2 + at) + HOUR, () => pay(side, poisoner, victim, asset, 10_000n));
    stage.simulation.after(DAY * (3 + at), () => {
      const raw = held(theft, victim, asset) / 3n;
      note(own, pay(side, victim, poisoner, asset, raw), { address: victim, asset, method: 'poisoned', raw });
    });
  }
  tellAtEnd({ ...own, thief: poisoner, partners: [], open: createOpenGrants(side.writer.family) }, [
    poisoner,
  ]);
};

/** A white hat takes what a careless contract exposes, and returns it two days later. */
const rescue = (thief: Theft): void => {
  const { stage, society } = thief;
  const { side } = society;
  const theft = openTheft(thief, []);
  const { asset } = side.usdc;
  for (let each = 0; each < EACH; each++) {
    const saved = newVictim(theft);
    stage.simulation.after(5 * DAY, () =>
      spendAllowance(theft, saved, asset, 1, { isUnlimited: true, to: theft.thief }),
    );
    stage.simulation.after(7 * DAY, () => {
      const taken = theft.losses.find(({ address }) => address === saved);
      if (taken === undefined) return;
      const back = pay(side, theft.thief, saved, asset, BigInt(taken.amount_raw));
      if (back !== null) theft.losses.splice(theft.losses.indexOf(taken), 1);
    });
  }
  tellAtEnd(theft, [theft.thief, theft.operator, theft.kit]);
};

const tellAtEnd = (
  { stage, society, open, thief, partners, losses }: Theft,
  wallets: readonly string[],
): void =>
  stage.truth.atEnd(() =>
    stage.truth.line({
      ...{ type: 'drainer', chain: society.side.chain, address: thief, wallets: [...wallets] },
      ...{ affiliates: [...partners], victims: losses, open: open.list() },
    }),
  );

const openTheft = (
  { stage, society, dex, random }: Pick<Theft, 'stage' | 'society' | 'dex' | 'random'>,
  partners: readonly string[],
): Theft => {
  const { side } = society;
  const { writer } = side;
  const [thief, operator, kit] = [writer.newAddress(), writer.newAddress(), writer.newAddress()];
  writer.addContract(kit);
  for (const wallet of [thief, operator]) writer.endow(wallet, NATIVE, rawForUsd(stage, side.native, 2_000));
  const open = createOpenGrants(writer.family);
  return { stage, society, dex, random, thief, operator, kit, partners, losses: [], open };
};

/** Only in worlds with hard cases: their transactions shift the numbers of everything else. */
export const startTheftCases = (stage: Stage, sides: readonly { society: Society; dex: Dex }[]): void => {
  for (const { society, dex } of sides) {
    const { newAddress, chain } = society.side.writer;
    const random = stage.random.fork(`theft cases ${chain}`);
    const theft = openTheft({ stage, society, dex, random }, [newAddress(), newAddress()]);
    for (let each = 0; each < VICTIMS; each++) {
      const victim = newVictim(theft);
      stage.simulation.after(DAY * (1 + 11 * random.unit()), () => takeFrom(theft, victim));
    }
    hardVictims(theft);
    keepBusiness(theft);
    for (let at = 0; at < EACH; at++) poison(theft, at);
    rescue(theft);
    tellAtEnd(theft, [theft.thief, theft.operator, theft.kit]);
  }
};
