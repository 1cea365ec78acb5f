import { z } from 'zod';
import { guessChainFamily } from '../investigate/model/address.ts';
import type { Clock } from '../platform/clock.ts';
import { ADDRESS } from './contract/fields.ts';

/** No chain's clock can be later. The bound also catches milliseconds sent by mistake. */
export const UNIX_SECONDS_MAX = 4_294_967_295;

/** Nodes stamp blocks by their own clocks, so block times may be ahead of ours. */
const CLOCK_SKEW_SECONDS = 60;

export const IN_THE_FUTURE = 'lies in the future';
export const isInTheFuture = (unixSeconds: number, clock: Clock): boolean =>
  unixSeconds > clock.nowUnixMs() / 1_000 + CLOCK_SKEW_SECONDS;

/** The message for a field of the wrong type; a missing field gets another one. */
export const needs = (what: string) => (issue: { readonly input?: unknown }) =>
  issue.input === undefined ? 'is required' : `must be ${what}`;

export const wholeNumber = (min: number, max: number, what: string) => {
  const error = needs(what);
  // Above 2^53 zod would report it twice.
  return z.int({ error, abort: true }).min(min, { error }).max(max, { error });
};

/** The optional chain of a request. */
export const chainField = (chains: readonly string[]) =>
  z
    .enum(chains, { error: `must be one of ${chains.join(', ')}` })
    .optional()
    .meta({ description: 'The chain. Default: solana for base58, ethereum for hex.' });

/** An address, symbol or transaction of a request. */
export const stringField = (what: string) =>
  z.string({ error: needs('a string') }).meta({ description: what });

export const addressField = (what: string) => stringField(`${what} ${ADDRESS}`);

/** An optional time of a request. */
export const timeField = (what: string) =>
  wholeNumber(0, UNIX_SECONDS_MAX, 'unix seconds, a whole number')
    .optional()
    .meta({ description: `${what} Unix seconds.` });

/** For the body as a whole. For unknown keys zod's own issue stays, because it names them. */
export const bodyError = (issue: { readonly code?: string }): string | undefined =>
  issue.code === 'invalid_type' ? 'must be a JSON object' : undefined;

/** The chain that a request without `chain` means, by its address's form. */
export const defaultChain = (address: string): string =>
  guessChainFamily(address) === 'evm' ? 'ethereum' : 'solana';
