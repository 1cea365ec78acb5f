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

export const statusOf = async (url: string): Promise<ServiceStatus> =>
  (await (await fetch(`${url}/status`)).json()) as ServiceStatus;

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
