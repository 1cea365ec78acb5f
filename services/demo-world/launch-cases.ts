import { NATIVE } from '../investigate/model/movement.ts';
import { buyInOne, buyInOneBlock } from './bundle-cases.ts';
import { pay, rawForUsd, type Stage, spendable, tryWrite } from './chain-side.ts';
import { buyMoves, type Curve } from './launch.ts';
import { makeToken } from './make-token.ts';
import type { PopularFunder, Society } from './persons.ts';
import type { Random } from './random.ts';
import type { Written } from './writer.ts';

type Plan = {
  readonly stage: Stage;
  readonly society: Society;
  readonly random: Random;
  readonly pool: Curve;
  readonly program: string;
  readonly creator: string;
  readonly insiders: { address: string; kinds: string[] }[];
  readonly bystanders: string[];
};

const HOUR = 3_600;
const DAY = 24 * HOUR;
const SUPPLY_RAW = 500_000_000_000_000n;
const SOLANA_POOL_PROGRAM = '675kPX9MHTjS2zt1qfr1NYHuzeLXfQM9H24wFSUt1Mp8';
/** With insiders, without any, with a bundle in one transaction, with one in a block. */
const LAUNCHES = 4;
/** After the launch block, so a buyer then is no sniper. */
const BUNDLED_SECONDS = 600;

const buy = (plan: Plan, buyer: string, usd: number): Written | null => {
  const { stage, society, pool, program } = plan;
  const { side } = society;
  const coinRaw = rawForUsd(stage, side.native, usd);
  if (spendable(side, buyer, NATIVE) < coinRaw) return null;
  const before = { ...pool };
  const calls = [{ program, method: 'swap', moves: buyMoves(pool, buyer, coinRaw) }];
  const written = tryWrite(side, { sender: buyer, calls });
  if (written === null) Object.assign(pool, before);
  return written;
};

/** The creator issues the supply to itself and fills a pool a day later, which is the launch. */
const launch = (plan: Plan, at: number): { tx: Written | null } => {
  const { stage, society, pool, program, creator } = plan;
  const { side } = society;
  const done: { tx: Written | null } = { tx: null };
  stage.simulation.at(at - DAY, () => {
    tryWrite(side, {
      sender: creator,
      calls: [
        {
          program,
          method: 'make',
          moves: [
            makeToken(side, pool.token, creator),
            { type: 'mint', to: creator, asset: pool.token, amountRaw: SUPPLY_RAW },
          ],
        },
      ],
    });
  });
  stage.simulation.at(at, () => {
    pool.coinRaw = rawForUsd(stage, side.native, 6_000);
    pool.tokenRaw = (SUPPLY_RAW * 9n) / 10n;
    done.tx = tryWrite(side, {
      sender: creator,
      calls: [
        {
          ...{ program, method: 'fill' },
          moves: [
            { type: 'transfer', from: creator, to: pool.address, asset: NATIVE, amountRaw: pool.coinRaw },
            {
              type: 'transfer',
              from: creator,
              to: pool.address,
              asset: pool.token,
              amountRaw: pool.tokenRaw,
            },
          ],
        },
      ],
    });
  });
  return done;
};

/** One owner with several wallets, funded by a hub. */
const addCircle = (plan: Plan, at: number): void => {
  const { stage, society, random, creator, insiders } = plan;
  const { side } = society;
  const hub = side.writer.newAddress();
  side.writer.endow(hub, NATIVE, rawForUsd(stage, side.native, 40_000));
  stage.simulation.at(at - 3 * DAY, () =>
    pay(side, hub, creator, NATIVE, rawForUsd(stage, side.native, 9_000)),
  );
  insiders.push({ address: hub, kinds: ['funded_creator'] });
  for (let each = 0; each < 3; each++) {
    const address = side.writer.newAddress();
    insiders.push({ address, kinds: ['shared_funder', 'bundle'] });
    stage.simulation.at(at - HOUR * (1 + 8 * random.unit()), () =>
      pay(side, hub, address, NATIVE, rawForUsd(stage, side.native, 900)),
    );
    stage.simulation.at(at + 0.01, () => buy(plan, address, 200 + 300 * random.unit()));
  }
};

/** Ordinary customers of an exchange, tied only by the bundle. */
const addBundle = (plan: Plan, at: number, buyTogether: typeof buyInOne): void => {
  const { stage, society, pool, program, creator, insiders } = plan;
  const { side, exchanges } = society;
  const buyers = Array.from({ length: 4 }, side.writer.newAddress);
  // On Ethereum the recipients pay nothing; on Solana a stranger to them tips.
  const payer = side.writer.family === 'evm' ? creator : side.writer.newAddress();
  for (const wallet of new Set([payer, ...buyers]))
    stage.simulation.at(at - 6 * HOUR, () =>
      exchanges[0]?.withdraw(wallet, NATIVE, rawForUsd(stage, side.native, 1_500)),
    );
  stage.simulation.at(at + BUNDLED_SECONDS, () => {
    for (const address of buyTogether({ stage, society, pool, program, payer, buyers }))
      insiders.push({ address, kinds: ['bundle'] });
  });
};

/** Early, but no insiders: customers of one exchange and one gas bot, within minutes of the launch. */
const addHonest = (plan: Plan, at: number, popular: PopularFunder | undefined): void => {
  const { stage, society, random, bystanders } = plan;
  const { side, exchanges } = society;
  for (let each = 0; each < 6; each++) {
    const address = side.writer.newAddress();
    stage.simulation.at(at - HOUR * (2 + 8 * random.unit()), () => {
      if (each % 2 === 0) popular?.(address);
      exchanges[0]?.withdraw(address, NATIVE, rawForUsd(stage, side.native, 700));
    });
    // A block or more later: nobody who reads of a launch is faster.
    stage.simulation.at(at + 300 + 900 * random.unit(), () => {
      if (buy(plan, address, 100 + 200 * random.unit()) !== null) bystanders.push(address);
    });
  }
};

/** Launches of pools, with and without insiders. Only in worlds with hard cases. */
export const startLaunchCases = (
  stage: Stage,
  sides: readonly { society: Society; popularFunders: readonly PopularFunder[] }[],
): void => {
  for (const { society, popularFunders } of sides)
    for (let number = 0; number < LAUNCHES; number++) openCase(stage, society, popularFunders[0], number);
};

const openCase = (
  stage: Stage,
  society: Society,
  popular: PopularFunder | undefined,
  number: number,
): void => {
  const { side } = society;
  const { writer } = side;
  const token = writer.addToken({ decimals: 6 });
  const [address, creator] = [writer.newDerived(), writer.newAddress()];
  const program = writer.family === 'solana' ? SOLANA_POOL_PROGRAM : address;
  writer.addContract(program);
  writer.addContract(address, program);
  const random = stage.random.fork(`launch case ${side.chain} ${number}`);
  const insiders = [{ address: creator, kinds: ['creator'] }];
  const pool: Curve = { address, token, coinRaw: 0n, tokenRaw: 0n };
  const plan: Plan = { stage, society, random, pool, program, creator, insiders, bystanders: [] };
  stage.truth.line({
    type: 'asset',
    chain: side.chain,
    asset: token,
    symbol: `POOL${number + 1}`,
    decimals: 6,
    counterfeit: false,
  });
  const at = stage.startUnixSeconds + DAY * (4 + 5 * random.unit());
  const done = launch(plan, at);
  if (number === 0) addCircle(plan, at);
  else
    stage.simulation.at(at - 3 * DAY, () =>
      society.exchanges[0]?.withdraw(creator, NATIVE, rawForUsd(stage, side.native, 9_000)),
    );
  if (number === 2) addBundle(plan, at, buyInOne);
  if (number === 3) addBundle(plan, at, buyInOneBlock);
  addHonest(plan, at, popular);
  stage.truth.atEnd(() => {
    if (done.tx === null) return;
    stage.truth.line({
      ...{
        type: 'launch',
        chain: side.chain,
        token,
        tx: done.tx.hash,
        time: done.tx.timeUnixSeconds,
        creator,
      },
      ...{ insiders, bystanders: [...new Set(plan.bystanders)] },
    });
  });
};
