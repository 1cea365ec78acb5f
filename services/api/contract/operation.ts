import type { z } from 'zod';
import type { TariffName } from '../../credits/decider/tariffs.ts';
import type { Clock } from '../../platform/clock.ts';

/** Answers and requests of one route as the generated world gives them. */
export type Example = { readonly request?: unknown; readonly answer: unknown };

/** One route as callers see it: what goes in, what comes out, what it costs. */
export type Operation = {
  readonly method: 'get' | 'post' | 'delete';
  /** As OpenAPI writes it, with `{names}`. */
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  readonly description: string;
  /** What only who calls by HTTP can use. */
  readonly overHttp?: string;
  readonly tag: 'questions' | 'jobs' | 'billing' | 'account' | 'service';
  readonly body?: z.ZodType;
  /** null: the answer has no body. */
  readonly answer: z.ZodType | null;
  readonly status: 200 | 201 | 202 | 204;
  readonly access: 'free' | 'key' | 'session';
  /** Names of what stands in the path. */
  readonly parameters?: Readonly<Record<string, { readonly description: string; readonly schema: object }>>;
  /** Names of what may stand behind the path's question mark. */
  readonly query?: Readonly<Record<string, { readonly description: string; readonly schema: object }>>;
  /** Of an answer that is a file. */
  readonly file?: 'text/csv';
  /** As callers might send and get it; those of `schemas/examples.json` unless given. */
  readonly example?: (known: Readonly<Record<string, Example>>) => Example;
  /** What one call costs; the second where the subject is large. */
  readonly tariffs?: readonly TariffName[];
  /** Statuses of its errors beside those that every route has. */
  readonly errors?: readonly number[];
};

/** What a service answers for. */
export type Served = { readonly chains: readonly string[]; readonly clock: Clock };
