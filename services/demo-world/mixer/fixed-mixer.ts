import { NATIVE } from '../../investigate/model/movement.ts';
import { type ChainSide, type Stage, toRaw, tryWrite } from '../chain-side.ts';
import type { Random } from '../random.ts';
import type { Move, Written } from '../writer.ts';
import { POOL_FIGURES, relayedShare, sampleRelayerFee } from './mixer-plan.ts';

export type MixerPool = { readonly address: string; readonly denominationRaw: bigint };

/** Equal notes go in and out: a withdrawal shows only its pool, recipient and sender. */
export type FixedMixer = {
  readonly name: string;
  readonly pools: readonly MixerPool[];
  readonly deposit: (from: string, pool: number) => Written | null;
  /** `relayed`: a relayer sends it for a fee; otherwise the recipient pays for its own transaction. */
  readonly withdraw: (to: string, pool: number, relayed: boolean) => Written | null;
  readonly wantsRelayer: (random: Random, pool: number) => boolean;
};

const DENOMINATIONS: Readonly<Record<string, readonly number[]>> = {
  solana: [1, 10, 50, 250],
  ethereum: [0.1, 1, 10, 100],
};
const RELAYERS = 8;
/** Notes in each pool when the world begins. */
const NOTES = 6_000n;
const PROGRAM_LABEL = 'Hollow';

export const createFixedMixer = (stage: Stage, side: ChainSide): FixedMixer => {
  const { writer } = side;
  const random = stage.random.fork(`fixed mixer ${side.chain}`);
  const program = writer.newAddress();
  writer.addContract(program);
  const name = PROGRAM_LABEL;
  stage.truth.own(name, 'mixer', side.chain, program);
  const pools = (DENOMINATIONS[side.chain] ?? []).map((denomination): MixerPool => {
    const address = writer.newDerived();
    const denominationRaw = toRaw(side.native, denomination);
    writer.addContract(address, program);
    writer.endow(address, NATIVE, denominationRaw * NOTES);
    stage.truth.label(side.chain, address, `${name} ${denomination} ${side.native.symbol}`, 'mixer', true);
    stage.truth.own(name, 'mixer', side.chain, address);
    return { address, denominationRaw };
  });
  const relayers = Array.from({ length: RELAYERS }, (_, at) => {
    const address = writer.newAddress();
    writer.endow(address, NATIVE, toRaw(side.native, 40));
    stage.truth.label(side.chain, address, `${name} relayer ${at + 1}`, 'mixer', at < RELAYERS / 2);
    stage.truth.own(`${name} relayer ${at + 1}`, 'relayer', side.chain, address);
    return address;
  });
  const callOf = (pool: MixerPool): string => (writer.family === 'evm' ? pool.address : program);
  return {
    name,
    pools,
    wantsRelayer: (draws, pool) => draws.chance(relayedShare(pool)),
    deposit: (from, at) => {
      const pool = pools[at];
      if (pool === undefined || at >= POOL_FIGURES.length) return null;
      const move: Move = {
        type: 'transfer',
        from,
        to: pool.address,
        asset: NATIVE,
        amountRaw: pool.denominationRaw,
      };
      return tryWrite(side, {
        sender: from,
        calls: [{ program: callOf(pool), method: 'deposit', moves: [move] }],
      });
    },
    withdraw: (to, at, relayed) => {
      const pool = pools[at];
      if (pool === undefined) return null;
      const share = relayed ? sampleRelayerFee(random, at) : 0;
      const feeRaw = (pool.denominationRaw * BigInt(Math.round(share * 1e6))) / 1_000_000n;
      const relayer = random.pick(relayers);
      const out = { type: 'transfer', from: pool.address, asset: NATIVE } as const;
      const moves: Move[] = [{ ...out, to, amountRaw: pool.denominationRaw - feeRaw }];
      if (feeRaw > 0n) moves.push({ ...out, to: relayer, amountRaw: feeRaw });
      const sender = relayed ? relayer : to;
      return tryWrite(side, { sender, calls: [{ program: callOf(pool), method: 'withdraw', moves }] });
    },
  };
};
