import { Directory } from '../accounts/directory.ts';
import type { Idempotency } from '../api/paid/bind-call.ts';
import type { CaseDesk } from '../cases/case-desk.ts';
import type { Ledger } from '../credits/ledger.ts';
import type { TransferReader } from '../investigate/model/transfer-reader.ts';
import type { JobDesk } from '../retrace/job-desk.ts';
import { move, tellStory } from './chain-story.ts';
import { issueKey } from './issue-key.ts';
import { createMemoryLedger } from './memory/memory-ledger.ts';
import { createMemoryReader } from './memory-reader.ts';
import { startApi } from './start-api.ts';

export const NOW = Date.UTC(2026, 4, 10, 12);
export const DAY = 86_400_000;
export const ANN = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
const BEA = '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359';
export const NOBODY = `0x${'9'.repeat(40)}`;
export const story = tellStory('ethereum', [{ time: 1_000, hash: '0xaa', moves: [move(ANN, BEA, 100n)] }]);

/** The API with one account on the free plan, unless told otherwise, and one key. */
export const openBilledApi = async (
  setting: {
    plan?: 'free' | 'none';
    callsMax?: number;
    reader?: TransferReader;
    submit?: (memory: Ledger) => Ledger['submit'];
    line?: { requestTimeoutMs: number };
    idempotency?: Idempotency;
    desk?: JobDesk;
    caseDesk?: CaseDesk;
    overrides?: Parameters<typeof startApi>[0];
  } = {},
) => {
  let nowUnixMs = NOW;
  const clock = { nowUnixMs: () => nowUnixMs };
  /** How often the directory still says that it is not current. */
  let blindLooks = 0;
  const directory = new Directory(() => blindLooks-- <= 0);
  const key = issueKey(directory, { atUnixMs: NOW - DAY });
  const memory = createMemoryLedger(clock, setting.callsMax);
  const { plan = 'free' } = setting;
  const change = { type: 'ChangePlan', id: 'p', plan, cycle: 'monthly', paidUntilUnixMs: null } as const;
  await memory.submit('account:a', change);
  const reader = setting.reader ?? createMemoryReader(story);
  const ledger = { ...memory, submit: setting.submit?.(memory) ?? memory.submit };
  const billing = { ledger, directory, isOpen: () => false, idempotency: setting.idempotency ?? null };
  const { desk = null, caseDesk = null, overrides } = setting;
  const api = await startApi({ reader, clock, billing, desk, caseDesk, ...overrides }, setting.line);
  const bearer = { authorization: `Bearer ${key}` };
  return {
    [Symbol.asyncDispose]: () => api.close({ graceMs: 0 }),
    api,
    key,
    bearer,
    /** A key of another account. */
    keyOf: (accountId: string) => issueKey(directory, { accountId, keyId: accountId }),
    memory,
    loseSight: (looks = Number.POSITIVE_INFINITY) => {
      blindLooks = looks;
    },
    revoke: () =>
      directory.apply({ accountId: 'a', atUnixMs: NOW - DAY, event: { type: 'KeyRevoked', keyId: 'k' } }),
    pass: (ms: number) => {
      nowUnixMs += ms;
    },
    follow: (address = ANN, headers: Readonly<Record<string, string>> = bearer) =>
      api.post('/follow', { address, chain: 'ethereum' }, headers),
    get: (path: string, headers: Readonly<Record<string, string>> = bearer) =>
      fetch(api.url + path, { headers }),
  };
};

export const codeOf = async (response: Response) => ({
  status: response.status,
  code: ((await response.json()) as { code?: string }).code,
});
