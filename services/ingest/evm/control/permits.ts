import { PERMIT_SELECTORS } from '../token-calls.ts';
import type { ControlContext } from './control-log.ts';

/**
 * Whether a signature of `holder` was given to the token: a `permit` call with its address in the trace; without a
 * trace, anywhere in the transaction's input, where contracts that bundle calls carry it.
 */
export const isPermitted = (holder: string, token: string, { calls, input }: ControlContext): boolean => {
  const word = holder.slice(2).padStart(64, '0');
  if (calls !== null) return calls.hasPermit(token, word);
  const text = input.toLowerCase();
  return PERMIT_SELECTORS.some((selector) => text.includes(selector + word));
};
