import { NATIVE } from '../investigate/model/movement.ts';
import { rawForUsd, type Stage, tryWrite } from './chain-side.ts';
import { buyMoves, type Curve } from './launch.ts';
import type { Society } from './persons.ts';
import type { Call, Move, Written } from './writer.ts';

type Bundle = {
  readonly stage: Stage;
  readonly society: Society;
  readonly pool: Curve;
  readonly program: string;
  /** The payer; on Solana he pays only the tip. */
  readonly payer: string;
  readonly buyers: readonly string[];
};

const EACH_USD = 250;
/** One of Jito's tip accounts; transactions of one bundle pay there. */
const TIP_ACCOUNT = '96gYZGLnJYVFmbjzopPSU6QiEV5fGqZNyN9nmNhvrZU5';

/**
 * All buyers in one transaction. On Solana each signs and pays its own coin; on Ethereum a contract buys for
 * wallets that pay nothing.
 */
export const buyInOne = (bundle: Bundle): readonly string[] => {
  const { side } = bundle.society;
  const { buyers } = bundle;
  return attempt(bundle, buyers, () => {
    if (side.writer.family === 'evm') return buyFor(bundle, buyers);
    const calls = buyers.map((buyer): Call => ownCall(bundle, buyer));
    return tryWrite(side, { sender: buyers[0] ?? '', calls });
  });
};

/** Separate transactions in one block. On Solana the payer tips for each; on Ethereum he sends each. */
export const buyInOneBlock = (bundle: Bundle): readonly string[] => {
  const { society, buyers, payer, stage } = bundle;
  const { side } = society;
  const amountRaw = rawForUsd(stage, side.native, 2);
  const tip: Move = { type: 'transfer', from: payer, to: TIP_ACCOUNT, asset: NATIVE, amountRaw };
  return buyers.flatMap((buyer) =>
    attempt(bundle, [buyer], () =>
      side.writer.family === 'evm'
        ? buyFor(bundle, [buyer])
        : tryWrite(side, { sender: buyer, calls: [ownCall(bundle, buyer), { moves: [tip] }] }),
    ),
  );
};

const coinRaw = ({ stage, society: { side } }: Bundle): bigint => rawForUsd(stage, side.native, EACH_USD);

const ownCall = (bundle: Bundle, buyer: string): Call => ({
  ...{ program: bundle.program, method: 'swap', moves: buyMoves(bundle.pool, buyer, coinRaw(bundle)) },
});

/** The payer's coin goes through a contract into the pool, and the tokens go to others. */
const buyFor = (bundle: Bundle, buyers: readonly string[]): Written | null => {
  const { society, pool, payer } = bundle;
  const { side } = society;
  const contract = side.writer.newDerived();
  const spent = coinRaw(bundle);
  const bought = buyers.flatMap((buyer) =>
    buyMoves(pool, buyer, spent).map(
      (move): Move => (move.type === 'transfer' && move.from === buyer ? { ...move, from: contract } : move),
    ),
  );
  const amountRaw = spent * BigInt(buyers.length);
  const moves: Move[] = [
    { type: 'transfer', from: payer, to: contract, asset: NATIVE, amountRaw },
    ...bought,
  ];
  return tryWrite(side, { sender: payer, calls: [{ program: contract, method: 'bundle', moves }] });
};

/** Returns the buyers. The pool is unchanged if somebody lacks the money. */
const attempt = (
  { pool }: Bundle,
  buyers: readonly string[],
  write: () => Written | null,
): readonly string[] => {
  const before = { ...pool };
  if (write() !== null) return buyers;
  Object.assign(pool, before);
  return [];
};
