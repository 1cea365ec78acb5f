import { Directory } from '../accounts/directory.ts';
import type { RequestOutcome } from '../api/context.ts';
import { type ApiDependencies, createApi } from '../api/create-api.ts';
import { type ServeOptions, serve } from '../api/serve.ts';
import type { StatusProbes } from '../api/status/status-probes.ts';
import { NO_BACKFILLS } from '../investigate/model/backfills.ts';
import { checkAnswers } from './check-answers.ts';
import { createMemoryAssetReader } from './memory/memory-asset-reader.ts';
import { createMemoryCaseReader } from './memory/memory-case-reader.ts';
import { createMemoryControlReader } from './memory/memory-control-reader.ts';
import { createMemoryFunderReader } from './memory/memory-funder-reader.ts';
import { createMemoryLedger } from './memory/memory-ledger.ts';
import { createMemoryPriceReader } from './memory/memory-price-reader.ts';
import { createMemoryProfileReader } from './memory/memory-profile-reader.ts';
import { createMemoryTokenReader } from './memory/memory-token-reader.ts';
import { createMemoryTraceReader } from './memory/memory-trace-reader.ts';
import { createMemoryReader } from './memory-reader.ts';

export type LogLine = { readonly level: string; readonly fields: object; readonly message: string };

export const HEALTHY: StatusProbes = {
  eventLog: async () => 'ok',
  warehouse: async () => 'ok',
  ledger: async () => 'off',
  derivation: async () => 'off',
  facilitator: async () => 'off',
  chains: async () => [],
};

export type RunningApi = AsyncDisposable & {
  readonly url: string;
  readonly log: readonly LogLine[];
  readonly outcomes: readonly RequestOutcome[];
  readonly close: (request: { graceMs: number }) => Promise<void>;
  readonly post: (
    path: string,
    body: unknown,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Response>;
};

/** The real application on a free port of 127.0.0.1, over an empty reader unless it is given another. */
export const startApi = async (
  overrides: Partial<ApiDependencies> = {},
  {
    isChecked = true,
    port = 0,
    ...line
  }: Pick<ServeOptions, 'requestTimeoutMs' | 'lineLimits'> & {
    /** 0: any free one. */
    readonly port?: number;
    /** Whether answers are held against the API document, which takes long for those of megabytes. */
    readonly isChecked?: boolean;
  } = {},
): Promise<RunningApi> => {
  const clock = overrides.clock ?? { nowUnixMs: () => 1_700_000_000_000 };
  const log: LogLine[] = [];
  const outcomes: RequestOutcome[] = [];
  const write = (level: string) => (fields: object, message: string) => log.push({ level, fields, message });
  const api = createApi({
    reader: createMemoryReader([]),
    traceReader: createMemoryTraceReader([]),
    profileReader: createMemoryProfileReader([]),
    control: createMemoryControlReader([]),
    cases: createMemoryCaseReader([]),
    funders: createMemoryFunderReader([]),
    controls: createMemoryControlReader([]),
    tokens: createMemoryTokenReader([]),
    prices: createMemoryPriceReader(),
    assets: createMemoryAssetReader(),
    backfills: () => NO_BACKFILLS,
    askForWallet: async () => null,
    arePricesPending: () => false,
    waitForWalletsMs: 0,
    probes: HEALTHY,
    logger: { info: write('info'), error: write('error') },
    metrics: {
      observeRequest: (outcome) => outcomes.push(outcome),
      expose: async () => ({ contentType: 'text/plain; version=0.0.4; charset=utf-8', text: 'up 1\n' }),
    },
    clock,
    chains: ['solana', 'ethereum', 'base'],
    version: '0.0.0-test',
    isClosing: () => false,
    billing: { ledger: createMemoryLedger(clock), directory: new Directory(), isOpen: () => true },
    ...overrides,
  });
  // Inside of the compression, which is first.
  if (isChecked) api.middleware.splice(1, 0, checkAnswers);
  const listening = await serve(api, { ...line, host: '127.0.0.1', port });
  const { url, close } = listening;
  return {
    url,
    log,
    outcomes,
    close,
    post: (path, body, headers = {}) =>
      fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    [Symbol.asyncDispose]: () => close({ graceMs: 0 }),
  };
};
