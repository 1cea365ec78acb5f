import { NATIVE } from '../investigate/model/movement.ts';
import { anchor, pay, rawForUsd, type Stage, spendable, stock, usdOf } from './chain-side.ts';
import type { Bridge } from './create-bridge.ts';
import type { Society } from './persons.ts';
import type { Asset } from './writer.ts';

const DAY = 86_400;
const SWAPPER_NAME = 'Quickturn';
const VAULT_USD = 60_000_000;

export type CrossChainOptions = {
  readonly stage: Stage;
  readonly societies: readonly Society[];
  readonly bridge: Bridge;
  readonly scale: number;
};

/** People who move money to the other chain by bridge. */
export const startBridgeUsers = ({ stage, societies, bridge, scale }: CrossChainOptions): void => {
  const random = stage.random.fork('bridge users');
  const use = (): void => {
    const near = random.pick(societies);
    const far = societies.find((each) => each !== near) ?? near;
    const person = random.pick(near.people);
    const wallet = person.wallets[random.below(Math.max(person.wallets.length, 1))];
    if (wallet !== undefined && far !== near) {
      const info = random.chance(0.6) ? near.side.usdc : near.side.native;
      const amountRaw = spendable(near.side, wallet, info.asset) / BigInt(random.between(2, 6));
      if (usdOf(stage, info, amountRaw) > 30) {
        const to = far.side.writer.newAddress();
        stage.truth.own(person.id, 'person', far.side.chain, to);
        bridge.send(near.side, wallet, info.asset, amountRaw, far.side, to, person.id);
      }
    }
    stage.simulation.after(random.exponential(DAY / (24 * scale)), use);
  };
  stage.simulation.after(random.exponential(DAY / (24 * scale)), use);
};

type SwapperDesk = { readonly society: Society; readonly hot: string; readonly gas: string };

/** A service that takes one asset at an order's address and pays out another, on either chain. */
export const startInstantSwapper = ({ stage, societies, scale }: CrossChainOptions): void => {
  const random = stage.random.fork('instant swapper');
  const desks = societies.map((society): SwapperDesk => {
    const { side } = society;
    const [hot, gas] = [side.writer.newAddress(), side.writer.newAddress()];
    stock(stage, side, hot, VAULT_USD);
    side.writer.endow(gas, NATIVE, rawForUsd(stage, side.native, 100_000));
    stage.truth.label(side.chain, hot, SWAPPER_NAME, 'exchange', true);
    for (const address of [hot, gas]) stage.truth.own(SWAPPER_NAME, 'exchange', side.chain, address);
    return { society, hot, gas };
  });
  const sweep = ({ society, hot, gas }: SwapperDesk, order: string, asset: Asset): void => {
    const { side } = society;
    const { writer } = side;
    const held = writer.balance(order, asset);
    const ownFee = asset === NATIVE && writer.family === 'evm';
    if (asset !== NATIVE && writer.family === 'evm') pay(side, gas, order, NATIVE, writer.feeReserveRaw / 2n);
    pay(side, order, hot, asset, ownFee ? held - writer.paymentFeeMaxRaw : held, gas);
  };
  const use = (): void => {
    const from = random.pick(desks);
    const to = random.pick(desks);
    const { side } = from.society;
    const target = to.society.side;
    const person = random.pick(from.society.people);
    const wallet = person.wallets[random.below(Math.max(person.wallets.length, 1))];
    const give = random.pick([side.native, side.usdc, side.usdt]);
    const get = random.pick([target.native, target.usdc, target.usdt]);
    stage.simulation.after(random.exponential(DAY / (40 * scale)), use);
    if (wallet === undefined || give.asset === get.asset) return;
    const amountRaw = spendable(side, wallet, give.asset) / BigInt(random.between(3, 8));
    const usd = usdOf(stage, give, amountRaw);
    if (usd < 40) return;
    const order = side.writer.newAddress();
    const recipient = target.writer.newAddress();
    const deposit = pay(side, wallet, order, give.asset, amountRaw);
    if (deposit === null) return;
    stage.truth.own(SWAPPER_NAME, 'exchange', side.chain, order);
    stage.truth.own(person.id, 'person', target.chain, recipient);
    stage.simulation.after(random.logNormal(600, 0.8), () => {
      const outRaw = rawForUsd(stage, get, usd * (0.988 + 0.007 * random.unit()));
      const payout = pay(target, to.hot, recipient, get.asset, outRaw);
      if (payout === null) return;
      stage.truth.line({
        type: 'exchange_link',
        via: 'instant_swap',
        entity: SWAPPER_NAME,
        owner: person.id,
        deposit: anchor(side, deposit, wallet, give.asset, amountRaw),
        withdrawal: anchor(target, payout, recipient, get.asset, outRaw),
      });
    });
    stage.simulation.after(random.logNormal(2_400, 0.7), () => sweep(from, order, give.asset));
  };
  stage.simulation.after(random.exponential(DAY / (40 * scale)), use);
};

/** People who send money through an exchange to an unknown wallet within the hour. */
export const startExchangeUsers = ({ stage, societies, scale }: CrossChainOptions): void => {
  const random = stage.random.fork('exchange users');
  const use = (): void => {
    stage.simulation.after(random.exponential(DAY / (50 * scale)), use);
    const { side, people } = random.pick(societies);
    const person = random.pick(people);
    const wallet = person.wallets[random.below(Math.max(person.wallets.length, 1))];
    const info = random.pick([side.native, side.usdc]);
    if (wallet === undefined) return;
    const amountRaw = (spendable(side, wallet, info.asset) * BigInt(random.between(20, 70))) / 100n;
    if (usdOf(stage, info, amountRaw) < 100) return;
    const deposit = person.exchange.deposit(wallet, info.asset, amountRaw, person.id);
    if (deposit === null) return;
    stage.simulation.after(random.logNormal(1_500, 0.7), () => {
      const to = side.writer.newAddress();
      // Half withdraw everything less the fee, the others a part.
      const share = random.chance(0.5) ? 999n : BigInt(random.between(300, 950));
      const outRaw = (amountRaw * share) / 1_000n;
      const withdrawal = person.exchange.withdraw(to, info.asset, outRaw);
      if (withdrawal === null) return;
      stage.truth.own(person.id, 'person', side.chain, to);
      stage.truth.line({
        type: 'exchange_link',
        via: 'exchange',
        entity: person.exchange.name,
        owner: person.id,
        deposit: anchor(side, deposit, wallet, info.asset, amountRaw),
        withdrawal: anchor(side, withdrawal, to, info.asset, outRaw),
      });
    });
  };
  stage.simulation.after(random.exponential(DAY / (50 * scale)), use);
};
