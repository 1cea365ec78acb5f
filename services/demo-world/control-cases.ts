import { type ChainSide, rawForUsd, type Stage, tryWrite } from './chain-side.ts';
import { makeToken } from './make-token.ts';
import type { Society } from './persons.ts';
import type { Random } from './random.ts';
import type { CaseTruth, ControlTruth } from './truth.ts';
import type { Move, Written } from './writer.ts';

export type ControlPlan = {
  readonly stage: Stage;
  readonly society: Society;
  readonly random: Random;
  readonly at: number;
  /** A wallet with coin for a few fees, or with this many dollars of it. */
  readonly newWallet: (feesUsd?: number) => string;
};

const DAY = 86_400;
const FEES_USD = 400;
const NOT_GRADED = { level: null, behaviours: [], exposure: { in: null, out: null } };

/** Written at the world's end, when everything has its transaction. */
const tellAtEnd = (
  { stage, society }: ControlPlan,
  truth: Omit<CaseTruth, 'type' | 'chain' | 'control'>,
  control: () => ControlTruth | null,
): void =>
  stage.truth.atEnd(() => {
    const known = control();
    if (known !== null)
      stage.truth.line({ type: 'case', chain: society.side.chain, ...truth, control: known });
  });

const direct = (side: ChainSide, sender: string, move: Move): Written | null =>
  tryWrite(side, { sender, calls: [{ moves: [move] }] });

/** Takes a victim's dollars by an allowance. The issuer freezes them a day later. */
export const frozenThief = (plan: ControlPlan): void => {
  const { stage, society } = plan;
  const { side, exchanges } = society;
  const { asset } = side.usdc;
  const [victim, thief, issuer] = [plan.newWallet(), plan.newWallet(), plan.newWallet(FEES_USD)];
  let frozen: Written | null = null;
  stage.simulation.after(DAY, () => {
    exchanges[1]?.withdraw(victim, asset, rawForUsd(stage, side.usdc, 8_000));
  });
  stage.simulation.after(3 * DAY, () => {
    const amountRaw = side.writer.balance(victim, asset);
    if (direct(side, victim, { type: 'approve', owner: victim, spender: thief, asset, amountRaw }) === null)
      return;
    direct(side, thief, { type: 'transfer', from: victim, to: thief, asset, amountRaw, authority: thief });
  });
  stage.simulation.after(4 * DAY, () => {
    frozen = direct(side, issuer, { type: 'freeze', asset, account: thief });
  });
  tellAtEnd(
    plan,
    {
      ...{ address: thief, name: 'frozen thief', identity: 'wallet', level: 'critical', behaviours: [] },
      exposure: { in: null, out: null },
    },
    () => frozen && { of: 'freeze', asset, tx: frozen.hash },
  );
};

/** The creator issues it, and hands on the right to issue more. */
export const tokenHandedOn = (plan: ControlPlan): void => {
  const { stage, society, random } = plan;
  const { side } = society;
  const { writer } = side;
  const [creator, partner] = [plan.newWallet(FEES_USD), plan.newWallet(FEES_USD)];
  const token = writer.addToken({ decimals: 6 });
  const symbol = `HAND${plan.at}`;
  stage.truth.line({
    ...{ type: 'asset', chain: side.chain, asset: token, symbol, decimals: 6 },
    counterfeit: false,
  });
  const isEvm = writer.family === 'evm';
  let handed: Written | null = null;
  stage.simulation.after(DAY * (1 + random.unit()), () => {
    direct(side, creator, makeToken(side, token, creator));
  });
  stage.simulation.after(3 * DAY, () => {
    const issue: Move = { type: 'mint', to: creator, asset: token, amountRaw: 1_000_000_000_000n };
    const calls = isEvm ? [{ program: token, method: 'mint', moves: [issue] }] : [{ moves: [issue] }];
    tryWrite(side, { sender: creator, calls });
  });
  stage.simulation.after(5 * DAY, () => {
    handed = direct(side, creator, { type: 'change_owner', contract: token, from: creator, to: partner });
  });
  tellAtEnd(
    plan,
    { ...NOT_GRADED, address: token, name: 'token handed on', identity: 'token' },
    () => handed && { of: 'token', creator, minter: partner, before: creator },
  );
};

/** People call it, and its deployer changes its code. */
export const upgradableProgram = (plan: ControlPlan): void => {
  const { stage, society, random } = plan;
  const { side } = society;
  const { writer } = side;
  const deployer = plan.newWallet(FEES_USD);
  const [program, code] = [writer.newAddress(), writer.newAddress()];
  writer.addContract(program);
  let [upgrades, calls] = [0, 0];
  stage.simulation.after(DAY, () => {
    direct(side, deployer, { type: 'create', contract: program, owner: deployer });
  });
  stage.simulation.after(4 * DAY, () => {
    if (direct(side, deployer, { type: 'upgrade', contract: program, code }) === null) return;
    upgrades += 1;
    // On EVM chains the contract itself is called, on Solana the loader.
    if (writer.family === 'evm') calls += 1;
  });
  for (let call = 0; call < 30; call++)
    stage.simulation.after(DAY * (2 + 8 * random.unit()), () => {
      const sender = random.pick(society.people).wallets[0];
      const run = { program, method: 'run', moves: [] };
      if (sender !== undefined && tryWrite(side, { sender, calls: [run] }) !== null) calls += 1;
    });
  const identity = writer.family === 'evm' ? 'contract' : 'program';
  tellAtEnd(plan, { ...NOT_GRADED, address: program, name: 'upgradable program', identity }, () => ({
    ...{ of: 'program', deployer, authority: deployer, upgrades, calls },
  }));
};
