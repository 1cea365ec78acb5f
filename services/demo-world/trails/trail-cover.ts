import { NATIVE } from '../../investigate/model/movement.ts';
import { pay, rawForUsd, type Stage, spendable, tryWrite, usdOf } from '../chain-side.ts';
import { lookalikeOf } from '../lookalike.ts';
import type { Society } from '../persons.ts';
import type { Random } from '../random.ts';
import type { Asset, Move, Written } from '../writer.ts';

/** What hides a trail: used wallets, poison, later money, contracts in between. */
export type Cover = {
  /** Gives the wallet other traffic before and after the loot. */
  readonly age: (wallet: string, lootUsd: number) => void;
  /** Puts a look-alike of the payee into the payer's history. */
  readonly poison: (payer: string, payee: string) => void;
  /** Unrelated money arrives after the loot and goes elsewhere. */
  readonly addLaterMoney: (wallet: string, asset: Asset, passedRaw: bigint) => void;
  /** Pays through a contract that passes everything on in the same transaction. */
  readonly payThrough: (from: string, to: string, asset: Asset, amountRaw: bigint) => Written | null;
  /** Makes the wallet a smart account (a multisig's vault on Solana) whose operator can pay fees. */
  readonly openAccount: (account: string, operator: string) => void;
  readonly payFromAccount: (
    operator: string,
    account: string,
    to: string,
    asset: Asset,
    amountRaw: bigint,
  ) => Written | null;
};

const DAY = 86_400;
const HOUR = 3_600;
const MULTISIG_PROGRAM = 'SQDS4ep65T869zMMBKyuUq6aD6EgTu8psMjkvj52pCf';
/** Own money beside the loot, little enough that the loot stays the main stream. */
const OWN_SHARE = 0.04;
const LATER_SHARE_MAX = 0.4;

export const createCover = (stage: Stage, society: Society, random: Random): Cover => {
  const { side } = society;
  const { writer } = side;
  const forwarder = writer.newDerived();
  const poisoner = writer.newAddress();
  const poisonContract = writer.newAddress();
  writer.addContract(forwarder, forwarder);
  writer.addContract(poisonContract);
  writer.addContract(MULTISIG_PROGRAM);
  writer.endow(poisoner, NATIVE, rawForUsd(stage, side.native, 10_000));
  stage.truth.own('forwarder', 'service', side.chain, forwarder);
  for (const address of [poisoner, poisonContract])
    stage.truth.own('trail poisoner', 'poisoner', side.chain, address);
  const stranger = (): string | undefined => random.pick(society.people).wallets[0];
  return {
    age: (wallet, lootUsd) => {
      const own = lootUsd * OWN_SHARE;
      for (const info of [side.native, side.usdc])
        writer.endow(wallet, info.asset, rawForUsd(stage, info, own));
      for (let at = 0; at < random.between(4, 12); at++) {
        stage.simulation.at(stage.startUnixSeconds + random.unit() * stage.days * DAY, () => {
          const to = stranger();
          const info = random.pick([side.native, side.usdc]);
          const amountRaw = rawForUsd(stage, info, (own / 16) * (0.5 + random.unit()));
          if (to !== undefined && amountRaw < spendable(side, wallet, info.asset)) {
            pay(side, wallet, to, info.asset, amountRaw);
          }
        });
      }
    },
    poison: (payer, payee) => {
      const address = lookalikeOf(side, payee);
      stage.truth.own('trail poisoner', 'poisoner', side.chain, address);
      const fake = side.counterfeit.asset;
      const fakeRaw = BigInt(random.between(500, 90_000)) * 1_000_000n;
      const log = { type: 'transfer', from: payer, to: address, authority: poisonContract } as const;
      const moves: Move[] =
        writer.family === 'solana'
          ? [{ type: 'mint', to: payer, asset: fake, amountRaw: fakeRaw }]
          : [
              { ...log, asset: side.usdc.asset, amountRaw: 0n },
              { type: 'mint', to: payer, asset: fake, amountRaw: fakeRaw },
              { ...log, asset: fake, amountRaw: fakeRaw },
            ];
      const call = { program: poisonContract, method: 'multicall', moves };
      const written = tryWrite(side, { sender: poisoner, calls: [call] });
      if (written === null) return;
      stage.truth.line({
        type: 'lookalike',
        chain: side.chain,
        address,
        of: payee,
        victim: payer,
        tx: written.hash,
      });
    },
    addLaterMoney: (wallet, asset, passedRaw) => {
      const lootUsd = usdOf(stage, side.infoOf(asset), passedRaw);
      stage.simulation.after(random.logNormal(9 * HOUR, 0.6), () => {
        const info = side.infoOf(asset);
        const laterRaw = rawForUsd(stage, info, lootUsd * LATER_SHARE_MAX * (0.3 + 0.7 * random.unit()));
        if (random.pick(society.exchanges).withdraw(wallet, asset, laterRaw) === null) return;
        stage.simulation.after(random.logNormal(3 * HOUR, 0.6), () => {
          const to = stranger();
          // Exactly the received amount: the loot may have come back by then.
          if (to !== undefined) pay(side, wallet, to, asset, (laterRaw * 9n) / 10n);
        });
      });
    },
    openAccount: (account, operator) => {
      writer.addContract(account);
      writer.endow(operator, NATIVE, writer.feeReserveRaw * 40n);
    },
    payFromAccount: (operator, account, to, asset, amountRaw) => {
      const program = writer.family === 'evm' ? account : MULTISIG_PROGRAM;
      const move: Move = { type: 'transfer', from: account, to, asset, amountRaw };
      return tryWrite(side, { sender: operator, calls: [{ program, method: 'execute', moves: [move] }] });
    },
    payThrough: (from, to, asset, amountRaw) => {
      const moves: Move[] = [
        { type: 'transfer', from, to: forwarder, asset, amountRaw },
        { type: 'transfer', from: forwarder, to, asset, amountRaw },
      ];
      return tryWrite(side, { sender: from, calls: [{ program: forwarder, method: 'forward', moves }] });
    },
  };
};
