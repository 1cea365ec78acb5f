import { expect } from 'vitest';
import type { Program } from '../run-program.ts';
import { CHAIN_ENDS } from './gated-chains.ts';

const PATIENCE = { timeout: 120_000, interval: 100 };

type Chain = { chain: string; head: number | null; indexed: number | null; trouble: string | null };

export type ServiceStatus = {
  readonly status: string;
  readonly components: {
    readonly event_log: string;
    readonly warehouse: string;
    readonly ledger: string;
    readonly chains: readonly Chain[];
  };
};

/** Where a process of the service answers, once it does. */
export const urlOf = async (program: Program): Promise<string> =>
  (await program.printed(/^ready (http:\/\/127\.0\.0\.1:\d+)$/m))[1] ?? '';

/** Where it says how far its start is. */
export const listeningAt = async (program: Program): Promise<string> =>
  (await program.printed(/"url":"(http:\/\/127\.0\.0\.1:\d+)\/?","operationsUrl":.*"msg":"listening"/))[1] ??
  '';

/** What it counts, as its operators are told. */
export const metricsOf = async (program: Program): Promise<string> => {
  const [, url] = await program.printed(/"operationsUrl":"(http:\/\/127\.0\.0\.1:\d+)\/?"/);
  return (await fetch(`${url}/metrics`)).text();
};

export const statusOf = async (url: string): Promise<ServiceStatus> =>
  (await (await fetch(`${url}/status`)).json()) as ServiceStatus;

/** What a process that has not started yet answers to whoever looks after it, and to whoever wants its work. */
export const startOf = async (url: string) => {
  const [status, ready, live, follow] = await Promise.all([
    fetch(`${url}/status`),
    fetch(`${url}/readyz`),
    fetch(`${url}/livez`),
    fetch(`${url}/follow`, { method: 'POST' }),
  ]);
  const text = await status.text();
  const { waiting_for: waitingFor } = (await ready.json()) as { waiting_for?: string[] };
  return {
    ...{ status: status.status, ready: ready.status, live: live.status, follow: follow.status },
    retryAfter: follow.headers.get('retry-after'),
    components: (JSON.parse(text) as ServiceStatus).components,
    waitingFor,
    text,
  };
};

/** Until the tables hold both chains whole, as this process sees them. */
export const untilIndexed = (url: string): Promise<void> =>
  expect
    .poll(async () => {
      const { chains } = (await statusOf(url)).components;
      return Object.fromEntries(chains.map(({ chain, indexed }) => [chain, indexed]));
    }, PATIENCE)
    .toEqual(CHAIN_ENDS);

/** Tells it to stop and expects that it had nothing to complain of. */
export const stopProgram = async (program: Program): Promise<void> => {
  program.process.kill('SIGTERM');
  expect(await program.ended, program.stderr()).toEqual({ code: 0, signal: null });
};
