import type { z } from 'zod';
import type { TariffName } from '../../credits/decider/tariffs.ts';
import type { Clock } from '../../platform/clock.ts';

/** Real requests and answers of one route, from the generated world. */
export type Example = {
  readonly request?: unknown;
  readonly answer: unknown;
  /** The whole answer as the command prints it, where a document shows that. */
  readonly drawn?: string;
};
export type Examples = Readonly<Record<string, Example | undefined>>;

/** One route as callers see it: input, output and price. */
export type Operation = {
  readonly method: 'get' | 'post' | 'delete';
  /** In OpenAPI's form, with `{names}`. */
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  readonly description: string;
  /** For routes that only HTTP clients can use. */
  readonly overHttp?: string;
  readonly tag: 'questions' | 'jobs' | 'billing' | 'account' | 'service';
  readonly body?: z.ZodType;
  /** null: the answer has no body. */
  readonly answer: z.ZodType | null;
  readonly status: 200 | 201 | 202 | 204;
  readonly access: 'free' | 'key' | 'session';
  /** Names of path parameters. */
  readonly parameters?: Readonly<Record<string, { readonly description: string; readonly schema: object }>>;
  /** Names of query parameters. */
  readonly query?: Readonly<Record<string, { readonly description: string; readonly schema: object }>>;
  /** For an answer that is a file. */
  readonly file?: 'text/csv';
  /** Example requests and answers by name. Default: the one of `schemas/examples.json` with the operation's id. */
  readonly examples?: (known: Examples) => Examples;
  /** The price of one call; the second price is for large subjects. */
  readonly tariffs?: readonly TariffName[];
  /** Statuses of its errors beside those that every route has. */
  readonly errors?: readonly number[];
};

/** The groups of routes that a service offers. */
export type Served = { readonly chains: readonly string[]; readonly clock: Clock };
