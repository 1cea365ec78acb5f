import type { Arrival } from './outgoing.ts';

/** The money that is followed at a wallet: all that has been brought to it, as far as that is known. */
export type Stake = {
  /** In the trail's order. Empty where nothing is known of what came: all that left counts then, or nothing was paid. */
  readonly lots: readonly Arrival[];
  /**
   * Who says so. `request`: how much there was in that second, but not who had brought it. `nobody`: the start, where no amount was
   * named and everything that left counts.
   */
  readonly told: 'chain' | 'request' | 'nobody';
};

export const EVERYTHING: Stake = { lots: [], told: 'nobody' };

/** `lots` as transactions say them. */
export const paidIn = (lots: readonly Arrival[]): Stake => ({ lots, told: 'chain' });
