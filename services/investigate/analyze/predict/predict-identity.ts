import type { Behaviour } from '../behaviours/behaviour.ts';
import type { Observed } from '../behaviours/observed.ts';
import type { Prediction } from '../profile.ts';
import { predictContract } from './predict-contract.ts';
import { predictColdWallet, predictGasWallet, predictHotWallet } from './predict-exchange.ts';
import { predictMixerFees, predictRelayer } from './predict-mixer.ts';

/**
 * What an address without a label seems to be, by what it did; null where that is what any wallet does. The label of a counterparty
 * is evidence, and so is who signs.
 */
export const predictIdentity = (observed: Observed, behaviours: readonly Behaviour[]): Prediction | null =>
  predictThief(behaviours) ??
  predictContract(observed) ??
  predictMixerFees(observed) ??
  predictRelayer(observed) ??
  predictGasWallet(observed) ??
  predictColdWallet(observed) ??
  predictHotWallet(observed);

/** Whoever takes a part of every loss steals. */
const predictThief = (behaviours: readonly Behaviour[]): Prediction | null => {
  const drainer = behaviours.find(({ name }) => name === 'drainer' || name === 'drainer_partner');
  return drainer ? { type: 'hack', confidence: drainer.confidence, why: drainer.detail } : null;
};
