import type { ChainSide } from './chain-side.ts';
import type { Move } from './writer.ts';

/** The creation of a token: its contract on an EVM chain, its mint on Solana. */
export const makeToken = ({ writer }: Pick<ChainSide, 'writer'>, token: string, creator: string): Move =>
  writer.family === 'evm'
    ? { type: 'create', contract: token, owner: creator }
    : { type: 'create_mint', asset: token, authority: creator };
