import { NATIVE } from '../../investigate/model/movement.ts';
import { pay, rawForUsd } from '../chain-side.ts';
import type { Written } from '../writer.ts';
import { endTrail } from './end-trail.ts';
import { giveGas, lastWallet, newWallet, ownWallet, percentOf, type Trail } from './trail.ts';

/** Usually a plain payment, sometimes through a contract or from a smart account. */
const payOn = (trail: Trail, to: string, amountRaw: bigint): Written | null => {
  const { cover, random, asset } = trail;
  const from = lastWallet(trail);
  const operator = trail.operators.get(from);
  if (operator !== undefined) return cover.payFromAccount(operator, from, to, asset, amountRaw);
  if (!trail.isExample && random.chance(0.08)) return cover.payThrough(from, to, asset, amountRaw);
  return pay(trail.options.society.side, from, to, asset, amountRaw);
};

/** One hop: most goes on, in one payment or several; a little goes aside, before or after. */
const hop = (trail: Trail): Written | null => {
  const { random, cover } = trail;
  const from = lastWallet(trail);
  const next = trail.prepared.shift() ?? newWallet(trail);
  const aside = random.chance(0.4) ? random.between(2, 14) : 0;
  if (aside > 0 && random.chance(0.5)) {
    payOn(trail, newWallet(trail), percentOf(trail, aside));
  }
  if (!trail.isExample && random.chance(0.3)) cover.poison(from, next);
  const payments = random.weighted([0, 0.75, 0.15, 0.1]);
  const mainRaw = percentOf(trail, 97 - aside);
  let written: Written | null = null;
  for (let at = 0; at < payments; at++) {
    // The first of several payments is the largest, so one is the main one.
    const share = payments === 1 ? 100n : at === 0 ? 60n : 40n / BigInt(payments - 1);
    written = payOn(trail, next, (mainRaw * share) / 100n) ?? written;
  }
  if (written === null) return null;
  if (random.chance(0.2) && !trail.operators.has(from)) cover.addLaterMoney(from, trail.asset, mainRaw);
  giveGas(trail, next);
  trail.wallets.push(next);
  return written;
};

/**
 * A third of the wallets are used ones with other traffic. Some are smart accounts with another signer, except the
 * last one, from which the end is made.
 */
export const prepareWallets = (trail: Trail): void => {
  for (let at = 0; at < trail.length; at++) {
    const draw = trail.random.unit();
    const isSmart = draw >= 0.33 && draw < 0.41 && at < trail.length - 1 && !trail.isExample;
    const { newAddress, newDerived } = trail.options.society.side.writer;
    const wallet = ownWallet(trail, isSmart ? newDerived() : newAddress());
    if (draw < 0.33) trail.cover.age(wallet, trail.lootUsd);
    if (isSmart) {
      const operator = newWallet(trail);
      trail.cover.openAccount(wallet, operator);
      trail.operators.set(wallet, operator);
    }
    trail.prepared.push(wallet);
  }
};

const walk = (trail: Trail): void => {
  const { stage } = trail.options;
  const delay = Math.min(trail.random.logNormal(trail.delaySeconds, 0.7), trail.delaySeconds * 3);
  stage.simulation.after(delay, () => {
    if (trail.wallets.length <= trail.length) {
      if (hop(trail) !== null) walk(trail);
      return;
    }
    endTrail(trail);
  });
};

/** The loot comes from a holder from before the world. */
export const steal = (trail: Trail, usd: number): void => {
  const { stage, society } = trail.options;
  const { side } = society;
  const victim = side.writer.newAddress();
  const info = side.infoOf(trail.asset);
  const lootRaw = rawForUsd(stage, info, usd);
  side.writer.endow(victim, NATIVE, side.writer.feeReserveRaw * 10n);
  side.writer.endow(victim, trail.asset, (lootRaw * 12n) / 10n);
  stage.truth.own(`victim of ${trail.thief}`, 'person', side.chain, victim);
  stage.simulation.at(trail.since, () => {
    giveGas(trail, lastWallet(trail));
    if (pay(side, victim, lastWallet(trail), trail.asset, lootRaw) !== null) walk(trail);
  });
};
