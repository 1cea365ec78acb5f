import { once } from 'node:events';
import { expect, test } from 'vitest';
import { createTransactionEncoder } from '../../events/encode-block.ts';
import { openHistoryEvents } from '../../events/history-events.ts';
import { openWalletEvents, WHOLE_HISTORY } from '../../events/wallet-events.ts';
import type { DecodedBlock } from '../../investigate/model/block.ts';
import { loadSchema } from '../../platform/avro/schemas.ts';
import { LogFileError } from '../../platform/event-log/embedded/log-file-error.ts';
import type { EventLog } from '../../platform/event-log/event-log.ts';
import { openStore } from '../../roles/store/open-store.ts';
import { buildBlock } from '../../testing/build-block.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { readWallets, type WalletSource } from './read-wallets.ts';

const PATIENCE = { timeout: 25_000, interval: 10 };
const LIMITS = { transactionsMax: 10, timeMs: 10_000, unusedTimeMs: 10_000, freshMs: 60_000, atOnce: 1 };

const step = (block: DecodedBlock) => ({ type: 'transaction', block }) as const;

const transaction = (number: number) =>
  step(
    buildBlock({
      chain: 'solana',
      number,
      timeUnixSeconds: 1_700_000_000,
      transactions: [
        { hash: `tx-${number}`, sender: 'ann', movements: [{ from: 'ann', to: 'bob', amountRaw: 5n }] },
      ],
    }),
  );

/** Of the wallets that somebody asked about, in turn, this is noted and nothing else. */
const expectNoted = async (
  read: WalletSource['read'],
  asked: readonly string[],
  expected: unknown,
  {
    log: seenAs = (log) => log,
    isUsed = async () => true,
    ...over
  }: Partial<typeof LIMITS> & { log?: (log: EventLog) => EventLog; isUsed?: WalletSource['isUsed'] } = {},
): Promise<void> => {
  const store = await openStore({ dataFolder: temporaryFolder(), name: 'chain', maxQueuedBytes: 1 << 20 });
  const stopping = new AbortController();
  const schema = loadSchema('TransactionTransfers');
  const wallets = await openWalletEvents(store.registry);
  const noted: string[] = [];
  const running = readWallets(
    {
      log: seenAs(store.log),
      wallets,
      histories: await openHistoryEvents(store.registry),
      encode: createTransactionEncoder(await store.registry.register(schema)),
      source: { chain: 'solana', isUsed, read },
      limits: { ...LIMITS, ...over },
      clock: { nowUnixMs: () => 1_700_000_000_000 },
      events: {
        read: ({ wallet, transactions, coverage }) => noted.push(`${wallet}: ${transactions} ${coverage}`),
        failed: () => {},
        problem: () => {},
        deadLetter: () => {},
        waiting: () => {},
      },
    },
    stopping.signal,
  );
  try {
    await store.log.append(
      asked.map((wallet) =>
        wallets.asked({
          ...{ ...WHOLE_HISTORY, chain: 'solana', wallet, askedAtUnixSeconds: 1 },
          isPaid: wallet.startsWith('paid'),
        }),
      ),
    );
    const done = () => store.log.commits('wallets-solana');
    const inTurn = expect.poll(done, PATIENCE).toMatchObject([{ offset: asked.length }]);
    await Promise.race([inTurn, running]);
    await expect.poll(() => noted, PATIENCE).toEqual(expected);
  } finally {
    stopping.abort();
    await running.catch(() => {});
    await store.close();
  }
};

test('an answer that nobody thought of costs one wallet its history, not everybody theirs', async () => {
  const read: WalletSource['read'] = async function* ({ address: wallet }) {
    yield transaction(7);
    if (wallet === 'odd') throw new TypeError("Cannot read properties of null (reading 'value')");
    return 'complete';
  };
  await expectNoted(read, ['odd', 'plain'], ['odd: 1 node_failed', 'plain: 1 complete']);
});

test('a wallet with a transaction too large for one record is not said to be complete', async () => {
  const movements = Array.from({ length: 20_000 }, (_, i) => ({
    from: 'ann',
    to: `bob ${i}`,
    amountRaw: 1n,
  }));
  const large = { hash: 'tx-8', sender: 'ann', movements };
  const block = { chain: 'solana', number: 8, timeUnixSeconds: 1_700_000_000, transactions: [large] };
  const read: WalletSource['read'] = async function* () {
    yield transaction(7);
    yield step(buildBlock(block));
    return 'complete';
  };
  await expectNoted(read, ['ann'], ['ann: 1 too_large_left_out']);
});

test('a wallet whose node takes too long is read as far as the time allows, and that is said', async () => {
  const read: WalletSource['read'] = async function* (_request, signal) {
    yield transaction(7);
    yield transaction(6);
    if (!signal.aborted) await once(signal, 'abort');
    throw signal.reason;
  };
  await expectNoted(read, ['slow'], ['slow: 2 time_ran_out'], { timeMs: 200 });
});

test('a wallet that was just read is not read again, one that its node failed to tell of is', async () => {
  let failures = 1;
  const read: WalletSource['read'] = async function* ({ address: wallet }) {
    yield transaction(7);
    if (wallet === 'bob' && failures-- > 0) throw new TypeError('an answer that nobody thought of');
    return 'complete';
  };
  const noted = ['ann: 1 complete', 'bob: 1 node_failed', 'bob: 1 complete'];
  await expectNoted(read, ['ann', 'bob', 'ann', 'bob', 'bob'], noted);
});

test.each(['older_left_out', 'complete'] as const)(
  'a wallet of which %s was noted is read on at once only where the limit had cut it',
  async (coverage) => {
    const read: WalletSource['read'] = async function* () {
      yield transaction(7);
      return coverage;
    };
    const noted = coverage === 'complete' ? ['ann: 1 complete'] : Array(2).fill(`ann: 1 ${coverage}`);
    await expectNoted(read, ['ann', 'ann'], noted);
  },
);

test('a log that cannot be read for a moment is read again, and no wallet is left out', async () => {
  let failures = 2;
  const log = (whole: EventLog): EventLog => ({
    ...whole,
    consume: async (request) => {
      const consumer = await whole.consume(request);
      const poll: typeof consumer.poll = async (wanted) => {
        if (failures-- > 0) throw new LogFileError('log_io', 'the disk did not answer');
        return consumer.poll(wanted);
      };
      return { ...consumer, poll };
    },
  });
  const read: WalletSource['read'] = async function* () {
    yield transaction(7);
    return 'complete';
  };
  await expectNoted(read, ['ann'], ['ann: 1 complete'], { log });
});

test('wallets of calls that are paid for are read before others that were asked for earlier', async () => {
  const read: WalletSource['read'] = async function* () {
    yield transaction(7);
    return 'complete';
  };
  const asked = ['one', 'two', 'paid one', 'three', 'paid two'];
  const noted = ['paid one', 'paid two', 'one', 'two', 'three'].map((wallet) => `${wallet}: 1 complete`);
  await expectNoted(read, asked, noted);
});

test('several wallets are read at once, no more than may be, and none is lost whichever is done first', async () => {
  let running = 0;
  let most = 0;
  const first = Promise.withResolvers<void>();
  const read: WalletSource['read'] = async function* ({ address: wallet }) {
    running += 1;
    most = Math.max(most, running);
    if (wallet === 'w0') await first.promise;
    if (wallet === 'w3') first.resolve();
    yield transaction(7);
    running -= 1;
    return 'complete';
  };
  const asked = ['w0', 'w1', 'w2', 'w3', 'w4'];
  const noted = ['w1', 'w2', 'w3', 'w0', 'w4'].map((wallet) => `${wallet}: 1 complete`);
  await expectNoted(read, asked, expect.arrayContaining(noted), { atOnce: 3 });
  expect(most).toBe(3);
});

test('an address that its node says was never used does not keep the node busy as long as a wallet, and is not said to be whole', async () => {
  const read: WalletSource['read'] = async function* (_request, signal) {
    yield transaction(7);
    if (!signal.aborted) await once(signal, 'abort');
    throw signal.reason;
  };
  const isUsed = async () => false;
  await expectNoted(read, ['made up'], ['made up: 1 time_ran_out'], { isUsed, unusedTimeMs: 50 });
});
