import { NATIVE } from '../../investigate/model/movement.ts';
import { pay, rawForUsd, type Stage, tryWrite } from './chain-side.ts';
import type { Dex } from './dex.ts';
import { lookalikeOf } from './lookalike.ts';
import type { Society } from './persons.ts';
import type { Random } from './random.ts';
import type { TruthLine } from './truth.ts';
import type { Asset, Call, Move, Written } from './writer.ts';

type Loss = Extract<TruthLine, { type: 'drainer' }>['victims'][number];

/** A thief with everything that makes its victims hard to tell. */
type Plan = {
  readonly stage: Stage;
  readonly society: Society;
  readonly dex: Dex;
  readonly random: Random;
  readonly thief: string;
  readonly operator: string;
  readonly kit: string;
  readonly partners: readonly string[];
  readonly losses: Loss[];
};

const HOUR = 3_600;
const DAY = 24 * HOUR;
const VICTIMS = 40;
const EACH = 3;

/**
 * How real Solana phishing takes: 8,058 transactions (../shared/data/truth/victims, SolPhishHunter): a payment to a vanity address
 * (ISA), one transaction with several transfers (STMT), account authority (AAT).
 */
const METHODS = [3_449, 2_438, 2_171];
/** Of STMT, how many assets one transaction takes, from 2 on. */
const ASSETS_OF_STMT = [40, 385, 1_512, 251, 98];
/** Of AAT, how many accounts are handed over, from 1 on. */
const ACCOUNTS_OF_AAT = [749, 709, 241, 152];

const told = (
  plan: Plan,
  written: Written | null,
  loss: Pick<Loss, 'address' | 'asset' | 'method'> & { readonly raw: bigint },
) => {
  if (written === null || loss.raw <= 0n) return;
  const { raw, ...rest } = loss;
  plan.losses.push({ ...rest, amount_raw: String(raw), tx: written.hash, time: written.timeUnixSeconds });
};

/** A wallet that nobody else uses, with coin for fees from before the world. */
const newWallet = ({ stage, society: { side } }: Plan, usd = 60): string => {
  const address = side.writer.newAddress();
  side.writer.endow(address, NATIVE, rawForUsd(stage, side.native, usd));
  return address;
};

/** Its coin comes from the exchange that the thief uses, too; its tokens are older than the world, or bought. */
const newVictim = (plan: Plan): string => {
  const { stage, society, random } = plan;
  const { side, exchanges } = society;
  const victim = newWallet(plan);
  stage.simulation.after(HOUR * random.unit(), () => {
    exchanges[1]?.withdraw(victim, NATIVE, rawForUsd(stage, side.native, random.logNormal(400, 0.6)));
    for (const { asset } of [side.usdc, side.usdt])
      exchanges[1]?.withdraw(victim, asset, rawForUsd(stage, side.infoOf(asset), random.logNormal(500, 1)));
  });
  for (const { asset } of side.tokens)
    side.writer.endow(victim, asset, rawForUsd(stage, side.infoOf(asset), random.logNormal(300, 0.8)));
  return victim;
};

const held = ({ society: { side } }: Plan, wallet: string, asset: Asset): bigint =>
  side.writer.balance(wallet, asset);

/** The thief's fifth and a partner's four fifths. */
const split = (plan: Plan, from: string, asset: Asset, raw: bigint, authority?: string): Move[] => {
  const partner = plan.random.pick(plan.partners);
  const move = { type: 'transfer', from, asset, ...(authority && { authority }) } as const;
  return [
    { ...move, to: plan.thief, amountRaw: raw - (raw * 4n) / 5n },
    { ...move, to: partner, amountRaw: (raw * 4n) / 5n },
  ];
};

const byMethod = (plan: Plan, victim: string): void => {
  const { society, random } = plan;
  const { side } = society;
  const assets = [side.usdc, side.usdt, ...side.tokens].map(({ asset }) => asset);
  if (side.writer.family === 'evm') {
    if (random.chance(0.4)) payThroughKit(plan, victim, random.pick(assets));
    else spendAllowance(plan, victim, random.pick(assets), 1);
    return;
  }
  const method = random.weighted(METHODS);
  if (method === 0) {
    const raw = (held(plan, victim, NATIVE) * 8n) / 10n;
    const calls: Call[] = [{ moves: split(plan, victim, NATIVE, raw) }];
    const written = tryWrite(side, { sender: victim, calls });
    told(plan, written, {
      address: victim,
      asset: NATIVE,
      method: 'transfer',
      raw,
    });
    return;
  }
  const count = method === 1 ? 2 + random.weighted(ASSETS_OF_STMT) : 1 + random.weighted(ACCOUNTS_OF_AAT);
  const taken = assets.slice(0, count).filter((asset) => held(plan, victim, asset) > 0n);
  const raws = taken.map((asset) => held(plan, victim, asset));
  const moves = taken.map(
    (asset, at): Move =>
      method === 1
        ? { type: 'transfer', from: victim, to: plan.thief, asset, amountRaw: raws[at] ?? 0n }
        : { type: 'hand_over', owner: victim, to: plan.thief, asset },
  );
  const written = tryWrite(side, { sender: victim, calls: [{ moves }] });
  for (const [at, asset] of taken.entries())
    told(plan, written, {
      address: victim,
      asset,
      method: method === 1 ? 'transfer' : 'authority',
      raw: raws[at] ?? 0n,
    });
};

const payThroughKit = (plan: Plan, victim: string, asset: Asset): void => {
  const raw = held(plan, victim, asset);
  const calls = [{ program: plan.kit, method: 'claim', moves: split(plan, victim, asset, raw) }];
  const written = raw > 0n ? tryWrite(plan.society.side, { sender: victim, calls }) : null;
  told(plan, written, { address: victim, asset, method: 'transfer', raw });
};

/** `part` of what the victim has; it allows all of it. `before`: what happens between the signature and the theft. */
const spendAllowance = (
  plan: Plan,
  victim: string,
  asset: Asset,
  part: number,
  before?: () => void,
): void => {
  const { stage, society, operator, kit } = plan;
  const { side } = society;
  const isSolana = side.writer.family === 'solana';
  const hand = isSolana ? operator : kit;
  const amountRaw = held(plan, victim, asset);
  const approve: Move = { type: 'approve', owner: victim, spender: hand, asset, amountRaw };
  if (amountRaw === 0n || tryWrite(side, { sender: victim, calls: [{ moves: [approve] }] }) === null) return;
  stage.simulation.after(HOUR / 2, () => before?.());
  stage.simulation.after(HOUR, () => {
    const left = held(plan, victim, asset);
    const raw = (left * BigInt(Math.round(part * 100))) / 100n;
    if (raw === 0n) return;
    const moves = split(plan, victim, asset, raw, hand);
    const calls: Call[] = [isSolana ? { moves } : { program: kit, method: 'take', moves }];
    const method = isSolana ? 'delegate' : 'approval';
    told(plan, tryWrite(side, { sender: operator, calls }), { address: victim, asset, method, raw });
  });
};

/** Twice drained, paid back whole or in part, swept by its own hand before the thief comes. */
const hardVictims = (plan: Plan): void => {
  const { stage, society, losses } = plan;
  const { side } = society;
  const { asset } = side.usdc;
  const later = (days: number, run: () => void) => stage.simulation.after(days * DAY, run);
  for (let each = 0; each < EACH; each++) {
    const [twice, refunded, half, saved] = [
      newVictim(plan),
      newVictim(plan),
      newVictim(plan),
      newVictim(plan),
    ];
    later(2, () => spendAllowance(plan, twice, asset, 0.5));
    later(4, () => spendAllowance(plan, twice, asset, 1));
    const rescue = newWallet(plan);
    later(3, () =>
      spendAllowance(plan, saved, asset, 1, () => pay(side, saved, rescue, asset, held(plan, saved, asset))),
    );
    for (const [victim, percent] of [
      [refunded, 100n],
      [half, 40n],
    ] as const) {
      later(3, () => spendAllowance(plan, victim, asset, 1));
      later(6, () => {
        const lost = losses.find(({ address }) => address === victim);
        if (lost === undefined) return;
        // Partners have most of the loot: the thief pays out of what it had before the world.
        side.writer.endow(plan.thief, asset, BigInt(lost.amount_raw));
        const back = pay(side, plan.thief, victim, asset, (BigInt(lost.amount_raw) * percent) / 100n);
        if (back !== null && percent === 100n) losses.splice(losses.indexOf(lost), 1);
      });
    }
  }
};

/** What is no loss: trades, customers, dust, an airdrop, money from an exchange. */
const keepBusiness = (plan: Plan): void => {
  const { stage, society, dex, random, thief } = plan;
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

/** A thief whose address looks like a friend's: the victim copies it from its history. */
const poison = (plan: Plan, at: number): void => {
  const { stage, society } = plan;
  const { side } = society;
  const { asset } = side.usdc;
  const friend = newWallet(plan);
  const poisoner = lookalikeOf(side, friend);
  side.writer.endow(poisoner, NATIVE, rawForUsd(stage, side.native, 50));
  side.writer.endow(poisoner, asset, rawForUsd(stage, side.usdc, 1));
  const losses: Loss[] = [];
  const own = { ...plan, losses };
  for (let each = 0; each < EACH; each++) {
    const victim = newVictim(plan);
    stage.simulation.after(DAY * (2 + at), () =>
      pay(side, victim, friend, asset, held(plan, victim, asset) / 10n),
    );
    stage.simulation.after(DAY * (2 + at) + HOUR, () => pay(side, poisoner, victim, asset, 10_000n));
    stage.simulation.after(DAY * (3 + at), () => {
      const raw = held(plan, victim, asset) / 3n;
      told(own, pay(side, victim, poisoner, asset, raw), { address: victim, asset, method: 'poisoned', raw });
    });
  }
  tellAtEnd(plan, { address: poisoner, wallets: [poisoner], affiliates: [], victims: losses });
};

const tellAtEnd = (
  { stage, society }: Plan,
  drainer: Omit<Extract<TruthLine, { type: 'drainer' }>, 'type' | 'chain'>,
): void =>
  stage.truth.atEnd(() => stage.truth.line({ type: 'drainer', chain: society.side.chain, ...drainer }));

/** Only where a world has hard cases: their transactions move the numbers of everything else. */
export const startTheftCases = (stage: Stage, sides: readonly { society: Society; dex: Dex }[]): void => {
  for (const { society, dex } of sides) {
    const { side } = society;
    const { writer } = side;
    const [thief, operator, kit] = [writer.newAddress(), writer.newAddress(), writer.newAddress()];
    const plan: Plan = {
      ...{ stage, society, dex, thief, operator, kit, losses: [] },
      random: stage.random.fork(`theft cases ${side.chain}`),
      partners: [writer.newAddress(), writer.newAddress()],
    };
    writer.addContract(kit);
    for (const wallet of [thief, operator])
      writer.endow(wallet, NATIVE, rawForUsd(stage, side.native, 2_000));
    for (let each = 0; each < VICTIMS; each++) {
      const victim = newVictim(plan);
      stage.simulation.after(DAY * (1 + 11 * plan.random.unit()), () => byMethod(plan, victim));
    }
    hardVictims(plan);
    keepBusiness(plan);
    for (let at = 0; at < EACH; at++) poison(plan, at);
    tellAtEnd(plan, {
      ...{
        address: thief,
        wallets: [thief, operator, kit],
        affiliates: [...plan.partners],
        victims: plan.losses,
      },
    });
  }
};
