import { expect, test } from 'vitest';
import { wholeHistory } from '../../api/asking/ask-in-time.ts';
import { openWalletEvents } from '../../events/wallet-events.ts';
import { createLogger } from '../../platform/logger.ts';
import { PATIENCE } from '../../testing/patience.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { openStore, type Store } from '../store/open-store.ts';
import { startWalletAsker } from './ask-for-wallet.ts';
import { createWalletLine } from './wallet-line.ts';

/** A process that asks for wallets of Solana, over a log of its own. */
const open = async (seenAs: (store: Store) => Store = (store) => store) => {
  const store = await openStore({ dataFolder: temporaryFolder(), name: 'chain', maxQueuedBytes: 1 << 20 });
  let nowUnixMs = 1_700_000_000_000;
  const clock = { nowUnixMs: () => nowUnixMs };
  const logger = createLogger({ level: 'silent' });
  const events = await openWalletEvents(store.registry);
  const start = () => startWalletAsker({ store: seenAs(store), chains: ['solana'], clock, logger });
  const asker = await start();
  const ask = async (wallet: string, payer = wallet, isPaid = false) =>
    (await asker.ask('solana', wholeHistory(wallet), { payer, isPaid })) !== null;
  return {
    ask,
    asker,
    start,
    pass: (ms: number) => {
      nowUnixMs += ms;
    },
    asked: async () => {
      const place = { topic: 'wallets.asked', partition: 0, offset: 0, maxBytes: 1 << 20 };
      return (await store.log.read(place)).map(({ value }) => events.decodeAsked(value).wallet);
    },
    read: (wallet: string, isPart = false) =>
      store.log.append([
        events.read({
          ...{ chain: 'solana', wallet, transactions: 0, coverage: 'complete' },
          ...{ readAtUnixSeconds: nowUnixMs / 1_000, isPart },
        }),
      ]),
    [Symbol.asyncDispose]: async () => {
      await asker.stop();
      await store.close();
    },
  };
};

test('a wallet is asked for once until it was read, and only where its chain is followed', async () => {
  await using line = await open();
  expect(await line.asker.ask('ethereum', wholeHistory('x'), { payer: 'x', isPaid: true })).toBe(null);
  expect(await Promise.all([line.ask('ann'), line.ask('ann'), line.ask('ann')])).toEqual([true, true, true]);
  expect(await line.ask('ann')).toBe(true);
  expect(await line.asked()).toEqual(['ann']);
});

test('a wallet that was read a moment ago is not asked for again before the tables can hold it', async () => {
  await using line = await open();
  await line.ask('ann');
  await line.read('ann');
  // The next one of the same payer finds room once that was heard.
  await line.ask('bob', 'ann');
  await expect.poll(() => line.ask('cyd', 'ann'), PATIENCE).toBe(true);
  expect(await line.ask('ann')).toBe(true);
  expect(await line.asked()).toEqual(['ann', 'bob', 'cyd']);
});

test('no more wallets are asked for than can be read in the time that is promised, and what beyond is promised nothing', async () => {
  await using line = await open();
  const answers = [];
  for (let i = 0; i < 20; i += 1) answers.push(await line.ask(`wallet ${i}`));
  expect(answers.filter(Boolean)).toHaveLength(3);
  expect(await line.asked()).toEqual(['wallet 0', 'wallet 1', 'wallet 2']);
});

/** How many strangers at once find room in a line that so far took so long for a wallet. */
const roomAfter = (eachMs: number): number => {
  let nowUnixMs = 1_700_000_000_000;
  const line = createWalletLine({ nowUnixMs: () => nowUnixMs });
  for (let i = 0; i < 20; i += 1) {
    expect(line.enter(wholeHistory(`wallet ${i}`), { payer: `payer ${i}`, isPaid: false })).toBe(true);
    nowUnixMs += eachMs;
    line.done({ address: `wallet ${i}`, isPart: false }, nowUnixMs / 1_000);
  }
  let room = 0;
  while (line.enter(wholeHistory(`new ${room}`), { payer: `new payer ${room}`, isPaid: false })) room += 1;
  return room;
};

test.each([
  { eachMs: 60_000, room: 1 },
  { eachMs: 10_000, room: 3 },
  { eachMs: 1_000, room: 29 },
])('where a wallet takes $eachMs ms, $room are let in for half a minute', ({ eachMs, room }) => {
  expect(roomAfter(eachMs)).toBe(room);
});

test('a wallet that was read is not in the line because that it was asked for is heard later', () => {
  const line = createWalletLine({ nowUnixMs: () => 1_700_000_001_000 });
  for (const wallet of ['ann', 'bob', 'cyd']) {
    line.done({ address: wallet, isPart: false }, 1_700_000_001);
    line.asked(wholeHistory(wallet), 1_700_000_000);
  }
  expect(line.enter(wholeHistory('dot'), { payer: 'dot', isPaid: false })).toBe(true);
  expect(line.enter(wholeHistory('eve'), { payer: 'eve', isPaid: false })).toBe(true);
  expect(line.enter(wholeHistory('fay'), { payer: 'fay', isPaid: false })).toBe(true);
});

test('calls that are paid for find room where others find none', async () => {
  await using line = await open();
  for (let i = 0; i < 10; i += 1) await line.ask(`free ${i}`);
  expect(await line.ask('one more')).toBe(false);
  expect(await line.ask('paid', 'customer', true)).toBe(true);
});

test('who pays nothing has two wallets in the line, whatever room there is for others', async () => {
  await using line = await open();
  const own = [];
  for (let i = 0; i < 4; i += 1) own.push(await line.ask(`own ${i}`, 'stranger'));
  expect(own).toEqual([true, true, false, false]);
  expect(await line.ask('other', 'other', true)).toBe(true);
});

test('what another process asked for counts, and where nobody reads it is forgotten after a while', async () => {
  await using line = await open();
  for (let i = 0; i < 3; i += 1) await line.ask(`wallet ${i}`);
  const other = await line.start();
  const asked = () => other.ask('solana', wholeHistory('new'), { payer: 'p', isPaid: false });
  expect(await asked()).toBe(null);
  line.pass(600_000);
  expect(await asked()).toEqual({ withinSeconds: 10 });
  await other.stop();
});

test('nobody is told that a wallet was asked for before the log holds it', async () => {
  const written = Promise.withResolvers<never>();
  await using line = await open((store) => ({
    ...store,
    log: { ...store.log, append: () => written.promise },
  }));
  const answers = [line.ask('ann'), line.ask('ann')];
  written.reject(new Error('out of reach'));
  expect(await Promise.all(answers)).toEqual([false, false]);
  expect(await line.asked()).toEqual([]);
});

test('parts of a history are asked for each by itself, and a reading of one makes room for all of them', async () => {
  await using line = await open();
  const part = (first: number) => ({ ...wholeHistory('pool'), first, order: 'oldest' as const });
  const ask = (first: number) => line.asker.ask('solana', part(first), { payer: 'ann', isPaid: true });
  await Promise.all([ask(1), ask(1), ask(2)]);
  expect(await line.asked()).toEqual(['pool', 'pool']);
  await line.read('pool', true);
  const askAgain = async () => {
    await ask(1);
    return (await line.asked()).length;
  };
  await expect.poll(askAgain, PATIENCE).toBe(3);
});
