import { NATIVE } from '../investigate/model/movement.ts';
import { pay, rawForUsd, type Stage, tryWrite } from './chain-side.ts';
import type { Dex } from './dex.ts';
import { type OpenGrants, unlimitedRaw } from './open-grants.ts';
import type { Society } from './persons.ts';
import type { Random } from './random.ts';
import type { TruthLine } from './truth.ts';
import type { Asset, Call, Move, Written } from './writer.ts';

export type Loss = Extract<TruthLine, { type: 'drainer' }>['victims'][number];

/** A thief with every method that makes victims hard to find. */
export type Theft = {
  readonly stage: Stage;
  readonly society: Society;
  readonly dex: Dex;
  readonly random: Random;
  readonly thief: string;
  readonly operator: string;
  /** Its contract; on Solana the program that wallets are assigned to. */
  readonly kit: string;
  readonly partners: readonly string[];
  readonly losses: Loss[];
  readonly open: OpenGrants;
};

const HOUR = 3_600;

/**
 * How real Solana phishing takes, of 8,058 transactions (SolPhishHunter, arXiv 2505.04094; ../shared/data/truth/victims):
 * impersonation of a system account (ISA), one transaction with several transfers (STMT), account authority (AAT).
 */
const SOLANA_METHODS = { ISA: 3_449, STMT: 2_438, AAT: 2_171 };
/** ISA without and with a token account. */
const ISA_TOKENS = [442, 3_007];
/** STMT: how many assets one transaction takes: 2 to 5, 6 and more. */
const STMT_ASSETS = [40, 385, 1_512, 251, 250];
/** AAT: how many token accounts are handed over: none (then the wallet itself) to 4, 5 and more. */
const AAT_ACCOUNTS = [780, 713, 235, 152, 100, 191];
/** What victims had: the 134 USDC losses by AAT have a median of 119 dollars and this log spread. */
const LOSS_USD = 119;
const LOSS_SPREAD = 1.58;
/** Other methods have no counts, so there are enough of each for grading. */
const DELEGATED = 0.1;
const CLOSED = 0.05;
const EVM_METHODS = { payment: 30, allowance: 30, unlimited: 15, permit: 15, order: 10 };
/** https://github.com/Uniswap/permit2 */
const PERMIT2 = '0x000000000022d473030f116ddee9f6b43ac78ba3';

export const note = (
  theft: Pick<Theft, 'losses'>,
  written: Written | null,
  { raw, ...loss }: Pick<Loss, 'address' | 'asset' | 'method'> & { readonly raw: bigint },
): void => {
  if (written === null || raw <= 0n) return;
  theft.losses.push({ ...loss, amount_raw: String(raw), tx: written.hash, time: written.timeUnixSeconds });
};

/** An otherwise unused wallet with coin for fees from before the world. */
export const newWallet = ({ stage, society: { side } }: Theft, usd = 60): string => {
  const address = side.writer.newAddress();
  side.writer.endow(address, NATIVE, rawForUsd(stage, side.native, usd));
  return address;
};

/** Its coin also comes from the thief's exchange; its tokens are older than the world, or bought. */
export const newVictim = (theft: Theft): string => {
  const { stage, society, random } = theft;
  const { side, exchanges } = society;
  const victim = newWallet(theft);
  const draw = () => random.logNormal(LOSS_USD, LOSS_SPREAD);
  stage.simulation.after(HOUR * random.unit(), () => {
    exchanges[1]?.withdraw(victim, NATIVE, rawForUsd(stage, side.native, draw()));
    for (const { asset } of [side.usdc, side.usdt])
      exchanges[1]?.withdraw(victim, asset, rawForUsd(stage, side.infoOf(asset), draw()));
  });
  for (const { asset } of side.tokens)
    side.writer.endow(victim, asset, rawForUsd(stage, side.infoOf(asset), draw()));
  return victim;
};

export const held = ({ society: { side } }: Theft, wallet: string, asset: Asset): bigint =>
  side.writer.balance(wallet, asset);

/** The thief's fifth and the partner's four fifths. */
const split = (theft: Theft, from: string, asset: Asset, raw: bigint, authority?: string): Move[] => {
  const partner = theft.random.pick(theft.partners);
  const move = { type: 'transfer', from, asset, ...(authority && { authority }) } as const;
  return [
    { ...move, to: theft.thief, amountRaw: raw - (raw * 4n) / 5n },
    { ...move, to: partner, amountRaw: (raw * 4n) / 5n },
  ];
};

export const takeFrom = (theft: Theft, victim: string): void => {
  const { side } = theft.society;
  if (side.writer.family === 'evm') takeOnEvm(theft, victim);
  else takeOnSolana(theft, victim);
};

const assetsOf = ({ society: { side } }: Theft): Asset[] =>
  [side.usdc, side.usdt, ...side.tokens].map(({ asset }) => asset);

const takeOnSolana = (theft: Theft, victim: string): void => {
  const { random, society } = theft;
  const assets = assetsOf(theft);
  if (random.chance(DELEGATED)) {
    spendAllowance(theft, victim, random.pick(assets), 1);
    return;
  }
  if (random.chance(CLOSED)) {
    takeWrapped(theft, victim);
    return;
  }
  const method = random.weighted(Object.values(SOLANA_METHODS));
  const accounts = random.weighted(AAT_ACCOUNTS);
  if (method === 0 && random.weighted(ISA_TOKENS) === 0) {
    const raw = (held(theft, victim, NATIVE) * 8n) / 10n;
    const calls: Call[] = [{ moves: split(theft, victim, NATIVE, raw) }];
    const written = tryWrite(society.side, { sender: victim, calls });
    note(theft, written, { address: victim, asset: NATIVE, method: 'transfer', raw });
  } else if (method === 0) takeSeveral(theft, victim, [random.pick(assets)]);
  else if (method === 1) takeSeveral(theft, victim, assets.slice(0, 2 + random.weighted(STMT_ASSETS)));
  else if (accounts === 0) takeWallet(theft, victim);
  else takeAccounts(theft, victim, assets.slice(0, accounts));
};

/** One transaction signed by the victim; everything goes to one address. */
const takeSeveral = (theft: Theft, victim: string, assets: readonly Asset[]): void => {
  const { thief, society } = theft;
  const taken = assets
    .map((asset) => ({ asset, raw: held(theft, victim, asset) }))
    .filter(({ raw }) => raw > 0n);
  const moves = taken.map(
    ({ asset, raw }): Move => ({ type: 'transfer', from: victim, to: thief, asset, amountRaw: raw }),
  );
  const written = moves.length > 0 ? tryWrite(society.side, { sender: victim, calls: [{ moves }] }) : null;
  for (const { asset, raw } of taken)
    note(theft, written, { address: victim, asset, method: 'transfer', raw });
};

const takeAccounts = (theft: Theft, victim: string, assets: readonly Asset[]): void => {
  const { thief, society, open } = theft;
  const taken = assets
    .map((asset) => ({ asset, raw: held(theft, victim, asset) }))
    .filter(({ raw }) => raw > 0n);
  const moves = taken.map(({ asset }): Move => ({ type: 'hand_over', owner: victim, to: thief, asset }));
  const written = moves.length > 0 ? tryWrite(society.side, { sender: victim, calls: [{ moves }] }) : null;
  if (written === null) return;
  for (const { asset, raw } of taken) {
    note(theft, written, { address: victim, asset, method: 'authority', raw });
    open.handOver(victim, thief, asset);
  }
};

/** The wallet is assigned to the thief's program, which takes its coin an hour later without the victim's key. */
const takeWallet = (theft: Theft, victim: string): void => {
  const { stage, society, operator, kit, open } = theft;
  const { side } = society;
  const moves: Move[] = [{ type: 'assign', wallet: victim, program: kit }];
  if (tryWrite(side, { sender: victim, calls: [{ moves }] }) === null) return;
  open.handOver(victim, kit, NATIVE);
  stage.simulation.after(HOUR, () => {
    const raw = held(theft, victim, NATIVE);
    const calls = [{ program: kit, method: 'collect', moves: split(theft, victim, NATIVE, raw) }];
    const written = tryWrite(side, { sender: operator, calls });
    note(theft, written, { address: victim, asset: NATIVE, method: 'authority', raw });
  });
};

/** Whoever may close an account of wrapped coin gets the coin. */
const takeWrapped = (theft: Theft, victim: string): void => {
  const { stage, society, thief } = theft;
  const { side } = society;
  const amountRaw = (held(theft, victim, NATIVE) * 7n) / 10n;
  const moves: Move[] = [
    { type: 'wrap', owner: victim, amountRaw },
    { type: 'allow_close', owner: victim, to: thief },
  ];
  if (tryWrite(side, { sender: victim, calls: [{ moves }] }) === null) return;
  stage.simulation.after(HOUR, () => {
    const calls: Call[] = [{ moves: [{ type: 'close', owner: victim, by: thief }] }];
    const written = tryWrite(side, { sender: theft.operator, calls });
    note(theft, written, { address: victim, asset: NATIVE, method: 'close_account', raw: amountRaw });
  });
};

const takeOnEvm = (theft: Theft, victim: string): void => {
  const { stage, random } = theft;
  const method = Object.keys(EVM_METHODS)[random.weighted(Object.values(EVM_METHODS))];
  const asset = random.pick(assetsOf(theft));
  if (method === 'payment') payThroughKit(theft, victim, asset);
  else if (method === 'permit') usePermit(theft, victim, asset);
  else if (method === 'order') useOrder(theft, victim, asset);
  else if (method === 'allowance') spendAllowance(theft, victim, asset, 1);
  else {
    spendAllowance(theft, victim, asset, 1, { isUnlimited: true });
    // Every other victim revokes it afterwards.
    if (random.chance(0.5)) stage.simulation.after(24 * HOUR, () => void allow(theft, victim, asset, 0n));
  }
};

const payThroughKit = (theft: Theft, victim: string, asset: Asset): void => {
  const raw = held(theft, victim, asset);
  const calls = [{ program: theft.kit, method: 'claim', moves: split(theft, victim, asset, raw) }];
  const written = raw > 0n ? tryWrite(theft.society.side, { sender: victim, calls }) : null;
  note(theft, written, { address: victim, asset, method: 'transfer', raw });
};

/**
 * The victim, who has paid with the token before, signs off chain; the operator submits the signature with the
 * theft.
 */
const usePermit = (theft: Theft, victim: string, asset: Asset): void => {
  const { stage, society, operator, kit } = theft;
  const { side } = society;
  pay(side, victim, newWallet(theft), asset, held(theft, victim, asset) / 20n);
  stage.simulation.after(HOUR, () => {
    const amountRaw = held(theft, victim, asset);
    const permit: Move = { type: 'permit', owner: victim, spender: kit, asset, amountRaw };
    const moves = [permit, ...split(theft, victim, asset, amountRaw, kit)];
    const calls = [{ program: kit, method: 'permitAndTake', moves }];
    const written = amountRaw > 0n ? tryWrite(side, { sender: operator, calls }) : null;
    note(theft, written, { address: victim, asset, method: 'permit', raw: amountRaw });
  });
};

/** The victim approves the public market, as everybody does, and signs an order that gives the token away. */
const useOrder = (theft: Theft, victim: string, asset: Asset): void => {
  const { stage, society, operator } = theft;
  const { side } = society;
  const approve: Move = {
    type: 'approve',
    owner: victim,
    spender: PERMIT2,
    asset,
    amountRaw: unlimitedRaw('evm'),
  };
  if (tryWrite(side, { sender: victim, calls: [{ moves: [approve] }] }) === null) return;
  stage.simulation.after(HOUR, () => {
    const raw = held(theft, victim, asset);
    const moves = split(theft, victim, asset, raw, PERMIT2);
    const calls = [{ program: PERMIT2, method: 'permitTransferFrom', moves }];
    const written = raw > 0n ? tryWrite(side, { sender: operator, calls }) : null;
    note(theft, written, { address: victim, asset, method: 'signed_order', raw });
  });
};

/** The hand that uses the permission; on Solana the operator itself. */
const handOf = ({ society: { side }, operator, kit }: Theft): string =>
  side.writer.family === 'solana' ? operator : kit;

export const allow = (theft: Theft, owner: string, asset: Asset, amountRaw: bigint): Written | null => {
  const spender = handOf(theft);
  const approve: Move = { type: 'approve', owner, spender, asset, amountRaw };
  const written = tryWrite(theft.society.side, { sender: owner, calls: [{ moves: [approve] }] });
  if (written !== null) theft.open.allow(owner, spender, asset, amountRaw);
  return written;
};

type Spending = {
  readonly isUnlimited?: boolean;
  /** Runs between the signature and the theft. */
  readonly before?: () => void;
  /** Otherwise the thief and a partner. */
  readonly to?: string;
};

/** `part` of the victim's holding, all of which it allows. */
export const spendAllowance = (
  theft: Theft,
  victim: string,
  asset: Asset,
  part: number,
  { isUnlimited, before, to }: Spending = {},
): void => {
  const { stage, society, operator, kit, open } = theft;
  const { side } = society;
  const hand = handOf(theft);
  const amountRaw = held(theft, victim, asset);
  const allowedRaw = isUnlimited ? unlimitedRaw(side.writer.family) : amountRaw;
  if (amountRaw === 0n || allow(theft, victim, asset, allowedRaw) === null) return;
  stage.simulation.after(HOUR / 2, () => before?.());
  stage.simulation.after(HOUR, () => {
    const left = held(theft, victim, asset);
    const raw = (left * BigInt(Math.round(part * 100))) / 100n;
    if (raw === 0n || open.left(victim, hand, asset) < raw) return;
    const all: Move = {
      type: 'transfer',
      from: victim,
      to: to ?? '',
      asset,
      amountRaw: raw,
      authority: hand,
    };
    const moves = to === undefined ? split(theft, victim, asset, raw, hand) : [all];
    const calls: Call[] = [
      side.writer.family === 'solana' ? { moves } : { program: kit, method: 'take', moves },
    ];
    const method = side.writer.family === 'solana' ? 'delegate' : 'approval';
    const written = tryWrite(side, { sender: operator, calls });
    if (written !== null) open.spend(victim, hand, asset, raw);
    note(theft, written, { address: victim, asset, method, raw });
  });
};
