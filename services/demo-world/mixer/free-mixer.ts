import { NATIVE } from '../../investigate/model/movement.ts';
import { type ChainSide, rawForUsd, toAmount, toRaw, tryWrite } from '../chain-side.ts';
import { countUpTo } from '../count-up-to.ts';
import type { Move, Written } from '../writer.ts';
import { atQuantile } from './mixer-plan.ts';
import figures from './tornado-figures.json' with { type: 'json' };
import {
  giveGas,
  liveBeside,
  type Mistake,
  note,
  spendLater,
  type Ties,
  type TiesOptions,
} from './traces-left.ts';

/** The cost of a withdrawal: a share of the amount and a fixed part, both kept by the mixer. */
export type FeeModel = { readonly share: number; readonly fixedRaw: bigint };

type Output = { readonly amountRaw: bigint; readonly unusual: boolean };

type Plan = {
  readonly ties: Ties;
  readonly depositRaw: bigint;
  readonly outputs: readonly Output[];
};

const NAME = 'Murk';
const DAY = 86_400;
const HOUR = 3_600;
/** Deposits a day at full scale, over all amounts. */
const DEPOSITS_PER_DAY = 45;
/** Popular amounts, the most common first. */
const ROUND_AMOUNTS = [1, 5, 10, 2, 0.5, 20, 3, 50];
const UNUSUAL_SHARE = 0.25;
const SPLIT_SHARE = 0.3;
const MISTAKES: readonly (readonly [number, readonly Mistake[]])[] = [
  [0.82, []],
  [0.06, ['direct_transfer']],
  [0.06, ['gas_by_depositor']],
  [0.06, ['shared_deposit_address']],
];

export const feeModelOf = (side: ChainSide): FeeModel => ({
  share: 0.0035,
  fixedRaw: side.writer.family === 'solana' ? 6_000_000n : 900_000_000_000_000n,
});

const afterFee = (model: FeeModel, amountRaw: bigint): bigint =>
  amountRaw - (amountRaw * BigInt(Math.round(model.share * 1e6))) / 1_000_000n - model.fixedRaw;

/** Any amount goes in and any part comes out: unusual digits and the fee may identify an owner. */
export const startFreeMixer = (options: TiesOptions & { readonly scale: number }): void => {
  const { stage, society, scale } = options;
  const { side } = society;
  const { writer } = side;
  const random = stage.random.fork(`free mixer ${side.chain}`);
  const model = feeModelOf(side);
  const program = writer.newAddress();
  const vault = writer.newDerived();
  const treasury = writer.newAddress();
  const relayer = writer.newAddress();
  writer.addContract(program);
  writer.addContract(vault, program);
  writer.endow(vault, NATIVE, rawForUsd(stage, side.native, 40_000_000));
  writer.endow(relayer, NATIVE, rawForUsd(stage, side.native, 20_000));
  const called = writer.family === 'evm' ? vault : program;
  stage.truth.label(side.chain, vault, NAME, 'mixer', true);
  stage.truth.label(side.chain, treasury, `${NAME} fees`, 'mixer', false);
  for (const address of [program, vault, treasury, relayer])
    stage.truth.own(NAME, 'mixer', side.chain, address);
  const depositors: string[] = [];
  /** Both in time order. */
  const withdrawalTimes: number[] = [];
  const withdrawals: bigint[] = [];
  const keep = (written: Written, amountRaw: bigint): void => {
    withdrawalTimes.push(written.timeUnixSeconds);
    withdrawals.push(amountRaw);
  };
  const endings: (() => void)[] = [];

  const drawAmount = (): { amountRaw: bigint; isUnusual: boolean } => {
    // Rounded in coin; the coin of one chain is worth a twentieth of the other's.
    const unit = writer.family === 'solana' ? 4 : 0.25;
    const at = Math.floor(ROUND_AMOUNTS.length * random.unit() ** 1.8);
    const amount = (ROUND_AMOUNTS[at] ?? 1) * unit;
    if (!random.chance(UNUSUAL_SHARE)) return { amountRaw: toRaw(side.native, amount), isUnusual: false };
    return { amountRaw: toRaw(side.native, amount * (0.4 + 1.3 * random.unit())), isUnusual: true };
  };
  const planOutputs = (depositRaw: bigint, isUnusual: boolean): Output[] => {
    if (!random.chance(SPLIT_SHARE)) {
      return [{ amountRaw: depositRaw, unusual: isUnusual }];
    }
    // A round part first, the odd rest later.
    const roundRaw = toRaw(side.native, Number((toAmount(side.native, depositRaw) / 2).toPrecision(1)));
    return [
      { amountRaw: roundRaw, unusual: false },
      { amountRaw: depositRaw - roundRaw, unusual: false },
    ];
  };
  const withdraw = (recipient: string, amountRaw: bigint, relayed: boolean): Written | null => {
    const outRaw = afterFee(model, amountRaw);
    if (outRaw <= 0n) return null;
    const out = { type: 'transfer', from: vault, asset: NATIVE } as const;
    const moves: Move[] = [
      { ...out, to: recipient, amountRaw: outRaw },
      { ...out, to: treasury, amountRaw: amountRaw - outRaw },
    ];
    return tryWrite(side, {
      sender: relayed ? relayer : recipient,
      calls: [{ program: called, method: 'withdraw', moves }],
    });
  };
  const takeOut = (plan: Plan, output: Output, deposit: Written): void => {
    const { ties } = plan;
    const recipient = writer.newAddress();
    stage.truth.own(ties.person.id, 'person', side.chain, recipient);
    const relayed = !ties.mistakes.includes('gas_by_depositor') && ties.person.random.chance(0.8);
    if (!relayed) giveGas(options, ties, recipient, null);
    const written = withdraw(recipient, output.amountRaw, relayed);
    if (written === null) return;
    if (output.unusual) {
      note(ties, recipient, 'exact_amount');
      note(ties, recipient, 'fee_fit');
    }
    spendLater(options, { ties, recipient, otherDepositors: depositors });
    keep(written, output.amountRaw);
    endings.push(() => {
      const families = [...(ties.left.get(recipient) ?? [])].sort();
      const after = deposit.timeUnixSeconds;
      const times = withdrawalTimes;
      const day = withdrawals.slice(countUpTo(times, after), countUpTo(times, after + DAY));
      const fits = day.filter((amountRaw) => amountRaw <= plan.depositRaw);
      const anchor = { chain: side.chain, asset: NATIVE };
      stage.truth.line({
        type: 'mixer_link',
        chain: side.chain,
        mixer: NAME,
        pool: vault,
        owner: ties.person.id,
        deposit: {
          ...anchor,
          tx: deposit.hash,
          wallet: ties.depositor,
          time: after,
          amount_raw: String(plan.depositRaw),
        },
        withdrawal: {
          ...anchor,
          tx: written.hash,
          wallet: recipient,
          time: written.timeUnixSeconds,
          amount_raw: String(afterFee(model, output.amountRaw)),
        },
        evidence: families.length === 0 ? ['none'] : families,
        relayed,
        session_deposits: 1,
        anonymity_set: fits.length,
      });
    });
  };
  const delay = (): number => atQuantile(figures.delays.delay_seconds, random.unit() * 0.75);
  const use = (): void => {
    const person = random.chance(0.2) ? random.pick(society.people) : society.newcomer('murk-user');
    const depositor = writer.newAddress();
    stage.truth.own(person.id, 'person', side.chain, depositor);
    const mistakes = MISTAKES[random.weighted(MISTAKES.map(([weight]) => weight))]?.[1] ?? [];
    const { amountRaw, isUnusual } = drawAmount();
    const ties: Ties = { person, depositor, left: new Map(), mistakes };
    const plan: Plan = { ties, depositRaw: amountRaw, outputs: planOutputs(amountRaw, isUnusual) };
    liveBeside(options, person, depositor);
    person.exchange.withdraw(depositor, NATIVE, (amountRaw * 11n) / 10n + writer.feeReserveRaw * 4n);
    stage.simulation.after(random.logNormal(HOUR, 1), () => {
      const move: Move = { type: 'transfer', from: depositor, to: vault, asset: NATIVE, amountRaw };
      const call = { program: called, method: 'deposit', moves: [move] };
      const deposit = tryWrite(side, { sender: depositor, calls: [call] });
      if (deposit === null) return;
      depositors.push(depositor);
      for (const output of plan.outputs)
        stage.simulation.after(delay(), () => takeOut(plan, output, deposit));
    });
  };
  // Older notes keep coming out: a crowd without deposits.
  const useOld = (): void => {
    const person = society.newcomer('murk-user');
    const recipient = writer.newAddress();
    stage.truth.own(person.id, 'person', side.chain, recipient);
    const { amountRaw } = drawAmount();
    const written = withdraw(recipient, amountRaw, true);
    if (written !== null) keep(written, amountRaw);
  };
  const perDay = Math.max(DEPOSITS_PER_DAY * scale, 1);
  const repeat = (run: () => void, rate: number): void => {
    run();
    stage.simulation.after(random.exponential(DAY / rate), () => repeat(run, rate));
  };
  stage.simulation.after(random.exponential(DAY / perDay), () => repeat(use, perDay));
  stage.simulation.after(random.exponential(DAY / perDay), () => repeat(useOld, perDay * 0.5));
  stage.truth.atEnd(() => {
    for (const end of endings) end();
  });
};
