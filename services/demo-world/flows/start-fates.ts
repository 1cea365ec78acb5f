import { NATIVE } from '../../investigate/model/movement.ts';
import { type ChainSide, pay, rawForUsd, type Stage, type TokenInfo, tryWrite } from '../chain-side.ts';
import type { Society } from '../persons.ts';
import type { TruthLine } from '../truth.ts';
import type { Move, Written } from '../writer.ts';

type FateTruth = Extract<TruthLine, { type: 'fate' }>;

/** One theft: what the thief got, and what he does with it. */
type Fate = {
  readonly side: ChainSide;
  readonly info: TokenInfo;
  readonly thief: string;
  readonly gotRaw: bigint;
  readonly newWallet: () => string;
  /** Writes one transaction on the given day after the theft. */
  readonly later: (days: number, write: () => Written | null) => void;
};

/** What became of the money, counted when the world ends. */
type Outcomes = () => Readonly<Record<string, bigint>>;

const DAY = 86_400;
/** A listed receipt: on Solana the transaction itself does not show who issues it. */
const RECEIPT = 'J1toso1uCk3RLmjorhTtrVwY9HJ7X6V9yYac6Y7kGCPn';

/** Only on request: thefts whose money is burnt, frozen, put away, paid back or used up by fees. */
export const startFates = (stage: Stage, societies: readonly Society[]): void => {
  for (const { side } of societies) {
    const lender = openLender(stage, side);
    start(stage, side, side.usdc, burnSome);
    start(stage, side, side.usdc, freezeAll);
    start(stage, side, side.usdc, keepAway(lender));
    start(stage, side, side.usdc, takeBackAndPay(lender));
    start(stage, side, side.native, payFees);
  }
};

const start = (stage: Stage, side: ChainSide, info: TokenInfo, live: (fate: Fate) => Outcomes): void => {
  const newWallet = (coinUsd = 200): string => {
    const wallet = side.writer.newAddress();
    if (coinUsd > 0) side.writer.endow(wallet, NATIVE, rawForUsd(stage, side.native, coinUsd));
    return wallet;
  };
  const [victim, thief] = [newWallet(), newWallet(info.asset === NATIVE ? 0 : 200)];
  const gotRaw = rawForUsd(stage, info, 10_000);
  side.writer.endow(victim, info.asset, gotRaw);
  const at = stage.startUnixSeconds + DAY;
  let failed = false;
  let paid: Written | null = null;
  stage.simulation.at(at, () => {
    paid = pay(side, victim, thief, info.asset, gotRaw);
  });
  const later: Fate['later'] = (days, write) =>
    stage.simulation.at(at + days * DAY, () => {
      failed ||= write() === null;
    });
  const outcomes = live({ side, info, thief, gotRaw, newWallet, later });
  stage.truth.atEnd(() => {
    if (failed || paid === null) return;
    const told = Object.entries(outcomes()).filter(([, raw]) => raw > 0n);
    const line: FateTruth = {
      ...{
        type: 'fate',
        chain: side.chain,
        asset: info.asset,
        start: thief,
        victim,
        amount_raw: String(gotRaw),
      },
      outcomes: Object.fromEntries(told.map(([outcome, raw]) => [outcome, String(raw)])),
    };
    stage.truth.line(line);
  });
};

const by = (side: ChainSide, sender: string, program: string, method: string, moves: readonly Move[]) =>
  tryWrite(side, { sender, calls: [{ program, method, moves }] });

const burnSome = ({ side, info, thief, gotRaw, later }: Fate): Outcomes => {
  const burned = gotRaw / 4n;
  later(1, () =>
    by(side, thief, info.asset, 'burn', [
      { type: 'burn', from: thief, asset: info.asset, amountRaw: burned },
    ]),
  );
  return () => ({ burned, at_rest: gotRaw - burned });
};

const freezeAll = ({ side, info: { asset }, thief, gotRaw, newWallet, later }: Fate): Outcomes => {
  const issuer = newWallet();
  later(1, () =>
    tryWrite(side, { sender: issuer, calls: [{ moves: [{ type: 'freeze', asset, account: thief }] }] }),
  );
  return () => ({ frozen: gotRaw });
};

/** On EVM chains it issues its own token, on Solana a listed one. */
type Lender = { readonly address: string; readonly receipt: string; readonly program: string };

const openLender = (stage: Stage, side: ChainSide): Lender => {
  const isEvm = side.writer.family === 'evm';
  const receipt = side.writer.addToken(isEvm ? { decimals: 6 } : { decimals: 6, address: RECEIPT });
  const address = isEvm ? receipt : side.writer.newAddress();
  side.writer.endow(address, side.usdc.asset, rawForUsd(stage, side.usdc, 1_000_000));
  return { address, receipt, program: isEvm ? receipt : side.writer.newAddress() };
};

const lend = (
  { address, receipt, program }: Lender,
  { side, info: { asset }, thief: from }: Fate,
  amountRaw: bigint,
) =>
  by(side, from, program, 'deposit', [
    { type: 'transfer', from, to: address, asset, amountRaw },
    { type: 'mint', to: from, asset: receipt, amountRaw },
  ]);

const keepAway =
  (lender: Lender) =>
  (fate: Fate): Outcomes => {
    const lentRaw = (fate.gotRaw * 3n) / 4n;
    fate.later(1, () => lend(lender, fate, lentRaw));
    return () => ({ position: lentRaw, at_rest: fate.gotRaw - lentRaw });
  };

/** With a hundredth more, of which he pays nine tenths on. */
const takeBackAndPay =
  (lender: Lender) =>
  (fate: Fate): Outcomes => {
    const { side, info, thief, gotRaw, newWallet, later } = fate;
    const { address, receipt, program } = lender;
    const next = newWallet();
    const { asset } = info;
    later(1, () => lend(lender, fate, gotRaw));
    later(3, () =>
      by(side, thief, program, 'redeem', [
        { type: 'burn', from: thief, asset: receipt, amountRaw: gotRaw },
        { type: 'transfer', from: address, to: thief, asset, amountRaw: gotRaw + gotRaw / 100n },
      ]),
    );
    later(4, () => pay(side, thief, next, asset, gotRaw));
    return () => ({ at_rest: gotRaw });
  };

const payFees = ({ side, thief, gotRaw, newWallet, later }: Fate): Outcomes => {
  const next = newWallet();
  const paidRaw = gotRaw / 2n;
  later(1, () => pay(side, thief, next, NATIVE, paidRaw));
  return () => {
    const leftRaw = side.writer.balance(thief, NATIVE);
    return { fees: gotRaw - paidRaw - leftRaw, at_rest: paidRaw + leftRaw };
  };
};
