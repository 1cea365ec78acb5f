import type { Behaviour } from '../behaviours/behaviour.ts';
import type { Observed } from '../behaviours/observed.ts';
import type { Prediction } from '../profile.ts';
import { predictContract } from './predict-contract.ts';
import { predictColdWallet, predictGasWallet, predictHotWallet } from './predict-exchange.ts';
import { predictMixerFees, predictRelayer } from './predict-mixer.ts';

/**
 * Predicts what an unlabelled address is from what it did; null when its behaviour is ordinary. The evidence
 * includes counterparties' labels and who signs.
 */
export const predictIdentity = (observed: Observed, behaviours: readonly Behaviour[]): Prediction | null => {
  const predicted = predictThief(behaviours) ?? predictByActs(observed);
  if (predicted === null || observed.seenIn === null || predicted.why.endsWith(observed.seenIn))
    return predicted;
  return { ...predicted, why: `${predicted.why} ${observed.seenIn}` };
};

const predictByActs = (observed: Observed): Prediction | null =>
  predictContract(observed) ??
  predictMixerFees(observed) ??
  predictRelayer(observed) ??
  predictGasWallet(observed) ??
  predictColdWallet(observed) ??
  predictHotWallet(observed);

/** An address that gets a part of every loss belongs to the thieves. */
const predictThief = (behaviours: readonly Behaviour[]): Prediction | null => {
  const drainer = behaviours.find(({ name }) => name === 'drainer' || name === 'drainer_partner');
  return drainer ? { type: 'hack', confidence: drainer.confidence, why: drainer.detail } : null;
};
