import { z } from 'zod';
import { guessChainFamily } from '../investigate/model/address.ts';
import type { Clock } from '../platform/clock.ts';
import { ADDRESS } from './contract/fields.ts';

/** Beyond this no chain's clock can be, and milliseconds sent by mistake are caught. */
export const UNIX_SECONDS_MAX = 4_294_967_295;

/** Block times run ahead of ours: nodes stamp them by their own clocks. */
const CLOCK_SKEW_SECONDS = 60;

export const IN_THE_FUTURE = 'lies in the future';
export const isInTheFuture = (unixSeconds: number, clock: Clock): boolean =>
  unixSeconds > clock.nowUnixMs() / 1_000 + CLOCK_SKEW_SECONDS;

/** What a field of the wrong type is told; one that is missing is told that. */
export const needs = (what: string) => (issue: { readonly input?: unknown }) =>
  issue.input === undefined ? 'is required' : `must be ${what}`;

export const wholeNumber = (min: number, max: number, what: string) => {
  const error = needs(what);
  // Above 2^53 it would be told twice.
  return z.int({ error, abort: true }).min(min, { error }).max(max, { error });
};

/** The optional chain of a request. */
export const chainField = (chains: readonly string[]) =>
  z
    .enum(chains, { error: `must be one of ${chains.join(', ')}` })
    .optional()
    .meta({ description: 'The chain. Default: solana for base58, ethereum for hex.' });

/** What an address, a symbol or a transaction of a request is told by. */
export const stringField = (what: string) =>
  z.string({ error: needs('a string') }).meta({ description: what });

export const addressField = (what: string) => stringField(`${what} ${ADDRESS}`);

/** An optional time of a request. */
export const timeField = (what: string) =>
  wholeNumber(0, UNIX_SECONDS_MAX, 'unix seconds, a whole number')
    .optional()
    .meta({ description: `${what} Unix seconds.` });

/** For the body as a whole. Unknown keys keep zod's own issue: it carries their names. */
export const bodyError = (issue: { readonly code?: string }): string | undefined =>
  issue.code === 'invalid_type' ? 'must be a JSON object' : undefined;

/** The chain that a request without `chain` means, by the form of its address. */
export const defaultChain = (address: string): string =>
  guessChainFamily(address) === 'evm' ? 'ethereum' : 'solana';
