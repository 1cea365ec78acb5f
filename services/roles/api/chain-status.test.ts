import { expect, test } from 'vitest';
import { createChainStatus } from './chain-status.ts';

const NOW = 1_700_000_000;
const HOUR = 3_600;

test('a process that stands by while another follows a chain tells what the tables tell, and is not taken for one that stalls', () => {
  const progress = {
    ...{ chain: 'solana', finality: 'finalized', isLive: true, isStandingBy: true, trouble: null },
    ...{ head: null, indexed: null, movedUnixMs: (NOW - HOUR) * 1_000, traces: null, tracesMissing: 0 },
    ...{ blocks: 0, transfers: 0, partial: { blocks: 0, newest: null } },
  };
  const statusOf = createChainStatus({
    progress: [progress],
    configured: [{ name: 'solana', commitment: 'finalized' }],
    gaps: new Map(),
    clock: { nowUnixMs: () => NOW * 1_000 },
  });
  const indexed = { number: 7, timeUnixSeconds: NOW - 3 };
  expect(statusOf('solana', indexed, true)).toMatchObject({ indexed: 7, stillSeconds: 3, isStalled: false });
  expect(statusOf('solana', null, false)).toBeNull();
  progress.isStandingBy = false;
  expect(statusOf('solana', indexed, true)).toMatchObject({ stillSeconds: HOUR, isStalled: true });
});
