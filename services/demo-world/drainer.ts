import { least } from '../investigate/model/amount.ts';
import { NATIVE } from '../investigate/model/movement.ts';
import { pay, rawForUsd, type Stage, spendable, tryWrite, usdOf } from './chain-side.ts';
import { createOpenGrants, type OpenGrants } from './open-grants.ts';
import type { Society } from './persons.ts';
import type { Random } from './random.ts';
import type { Asset, Call, Move, Written } from './writer.ts';

export type DrainerOptions = {
  readonly stage: Stage;
  readonly society: Society;
  readonly count: number;
  readonly victims: number;
};

type Method = 'transfer' | 'approval' | 'delegate';

type Loss = {
  readonly address: string;
  readonly asset: Asset;
  readonly amount_raw: string;
  readonly tx: string;
  readonly time: number;
  readonly method: Method;
};

type Drainer = {
  readonly options: DrainerOptions;
  readonly random: Random;
  /** Takes the operator's part; reports name only this address. */
  readonly vault: string;
  /** Uses the victims' permissions. */
  readonly operator: string;
  readonly contract: string;
  readonly affiliates: readonly string[];
  readonly losses: Loss[];
  readonly open: OpenGrants;
};

const DAY = 86_400;
const AFFILIATE_PERCENT = 80n;

/** Splits the loot as drainer kits do: a fifth for the operator, the rest for the affiliate. */
const split = (
  drainer: Drainer,
  from: string,
  asset: Asset,
  amountRaw: bigint,
  affiliate: string,
  authority?: string,
): Move[] => {
  const affiliateRaw = (amountRaw * AFFILIATE_PERCENT) / 100n;
  const move = { type: 'transfer', from, asset, ...(authority === undefined ? {} : { authority }) } as const;
  return [
    { ...move, to: drainer.vault, amountRaw: amountRaw - affiliateRaw },
    { ...move, to: affiliate, amountRaw: affiliateRaw },
  ];
};

/** The deceived victim signs a payment; on Ethereum through the drainer's contract. */
const stealByTransfer = (
  drainer: Drainer,
  victim: string,
  asset: Asset,
  amountRaw: bigint,
  affiliate: string,
): Written | null => {
  const { side } = drainer.options.society;
  if (side.writer.family === 'solana') {
    return tryWrite(side, {
      sender: victim,
      calls: [{ moves: split(drainer, victim, asset, amountRaw, affiliate) }],
    });
  }
  const { contract } = drainer;
  const moves: Move[] =
    asset === NATIVE
      ? [
          { type: 'transfer', from: victim, to: contract, asset, amountRaw },
          ...split(drainer, contract, asset, amountRaw, affiliate),
        ]
      : split(drainer, victim, asset, amountRaw, affiliate);
  return tryWrite(side, { sender: victim, calls: [{ program: contract, method: 'claimRewards', moves }] });
};

/** The operator uses a permission: the victim does not sign the losing transaction. */
const stealByAllowance = (
  drainer: Drainer,
  victim: string,
  asset: Asset,
  amountRaw: bigint,
  affiliate: string,
): Written | null => {
  const { side } = drainer.options.society;
  const { operator, contract } = drainer;
  const isSolana = side.writer.family === 'solana';
  const moves = split(drainer, victim, asset, amountRaw, affiliate, isSolana ? operator : contract);
  const call: Call = isSolana ? { moves } : { program: contract, method: 'multicall', moves };
  return tryWrite(side, { sender: operator, calls: [call] });
};

/** The asset that the victim is talked into giving: tokens rather than the coin, because tokens can be approved. */
const chooseLoot = ({ options, random }: Drainer, victim: string): Asset | null => {
  const { side } = options.society;
  const worth = [side.usdc, side.usdt, ...side.tokens].filter(
    (info) => usdOf(options.stage, info, spendable(side, victim, info.asset)) > 30,
  );
  if (worth.length > 0 && random.chance(0.7)) return random.pick(worth).asset;
  return usdOf(options.stage, side.native, spendable(side, victim, NATIVE)) > 50 ? NATIVE : null;
};

const strike = (drainer: Drainer): void => {
  const { options, random, losses, open } = drainer;
  const { side, people } = options.society;
  const person = random.pick(people);
  const victim = person.wallets[random.below(Math.max(person.wallets.length, 1))];
  const asset = victim === undefined ? null : chooseLoot(drainer, victim);
  if (victim === undefined || asset === null) return;
  const affiliate = random.pick(drainer.affiliates);
  const isSolana = side.writer.family === 'solana';
  const spender = isSolana ? drainer.operator : drainer.contract;
  const take = (method: Method, amountRaw: bigint): void => {
    const steal = method === 'transfer' ? stealByTransfer : stealByAllowance;
    const written = amountRaw > 0n ? steal(drainer, victim, asset, amountRaw, affiliate) : null;
    if (written === null) return;
    if (method !== 'transfer') open.spend(victim, spender, asset, amountRaw);
    losses.push({
      address: victim,
      asset,
      amount_raw: String(amountRaw),
      tx: written.hash,
      time: written.timeUnixSeconds,
      method,
    });
  };
  const held = spendable(side, victim, asset);
  if (asset === NATIVE || random.chance(0.35)) {
    take('transfer', asset === NATIVE ? (held * 9n) / 10n : held);
    return;
  }
  const approval: Move = { type: 'approve', owner: victim, spender, asset, amountRaw: held };
  if (tryWrite(side, { sender: victim, calls: [{ moves: [approval] }] }) === null) return;
  open.allow(victim, spender, asset, held);
  // Hours may pass between the signature and the loss.
  options.stage.simulation.after(random.logNormal(1_800, 1.2), () => {
    const method: Method = isSolana ? 'delegate' : 'approval';
    const left = spendable(side, victim, asset);
    // At most the permitted amount, even if more arrived.
    const allowed = open.left(victim, spender, asset);
    take(method, least(left, allowed));
  });
};

/** Payments that are no losses: gas for the operator, dust from strangers, the loot moving on. */
const keepHouse = (drainer: Drainer): void => {
  const { options, random, vault, operator } = drainer;
  const { stage, society } = options;
  const { side } = society;
  society.exchanges[0]?.withdraw(operator, NATIVE, rawForUsd(stage, side.native, 150));
  const dust = random.pick(society.people).wallets[0];
  if (dust !== undefined) pay(side, dust, vault, NATIVE, side.writer.feeReserveRaw / 40n);
  const { asset } = random.pick([side.native, side.usdc]);
  pay(side, vault, operator, asset, spendable(side, vault, asset) / 2n);
  const affiliate = random.pick(drainer.affiliates);
  const { asset: loot } = random.pick([side.native, side.usdc]);
  society.exchanges[1]?.deposit(
    affiliate,
    loot,
    (spendable(side, affiliate, loot) * 9n) / 10n,
    `affiliate ${affiliate}`,
  );
  stage.simulation.after(DAY * (0.3 + random.unit()), () => keepHouse(drainer));
};

const openDrainer = (options: DrainerOptions, at: number): Drainer => {
  const { stage, society } = options;
  const { side } = society;
  const { writer } = side;
  const affiliates = Array.from({ length: 3 }, writer.newAddress);
  const drainer: Drainer = {
    options,
    random: stage.random.fork(`drainer ${side.chain} ${at}`),
    vault: writer.newAddress(),
    operator: writer.newAddress(),
    contract: writer.newAddress(),
    affiliates,
    losses: [],
    open: createOpenGrants(writer.family),
  };
  const { random, vault, operator, contract } = drainer;
  writer.addContract(contract);
  writer.endow(operator, NATIVE, rawForUsd(stage, side.native, 800));
  for (const affiliate of affiliates) {
    writer.endow(affiliate, NATIVE, rawForUsd(stage, side.native, 100));
    stage.truth.own(`drainer ${at + 1} affiliate ${affiliate}`, 'affiliate', side.chain, affiliate);
  }
  for (const address of [vault, operator, contract]) {
    stage.truth.own(`drainer ${at + 1}`, 'drainer', side.chain, address);
  }
  stage.truth.label(side.chain, vault, `Magpie drainer ${at + 1}`, 'hack', at % 2 === 0);
  const begin = 0.25 * stage.days * DAY;
  for (let victim = 0; victim < options.victims; victim++) {
    stage.simulation.after(begin + random.unit() * stage.days * DAY * 0.7, () => strike(drainer));
  }
  stage.simulation.after(begin * random.unit(), () => keepHouse(drainer));
  return drainer;
};

export const startDrainers = (options: DrainerOptions): void => {
  const { stage, society, count } = options;
  const drainers = Array.from({ length: count }, (_, at) => openDrainer(options, at));
  stage.truth.atEnd(() => {
    for (const { vault, operator, contract, affiliates, losses, open } of drainers) {
      stage.truth.line({
        type: 'drainer',
        chain: society.side.chain,
        address: vault,
        wallets: [vault, operator, contract],
        affiliates: [...affiliates],
        victims: losses,
        open: open.list(),
      });
    }
  });
};
