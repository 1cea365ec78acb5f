import { expect, test } from 'vitest';
import { openLabelEvents } from '../../events/label-events.ts';
import type { DecodedBlock } from '../../investigate/model/block.ts';
import { createLogger } from '../../platform/logger.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { buildBlock } from '../../testing/build-block.ts';
import { buildLabel } from '../../testing/build-label.ts';
import { PATIENCE } from '../../testing/patience.ts';
import { blockOf, SinkStage } from '../../testing/sink-stage.ts';
import { DELETED_AT_ONCE } from '../../warehouse/sink/delete-retracted.ts';
import { hideRetracted } from '../../warehouse/sink/hide-retracted.ts';
import { VISIBLE_ROWS } from '../../warehouse/sql-clauses.ts';
import { startLabels } from './start-labels.ts';

const stage = new SinkStage();
const HEAD = 'transfers.head';

/** The real engine, in which a copy has read its rows and puts them there only once `meanwhile` is over. */
const whileCopying = (writer: WarehouseClient, meanwhile: () => Promise<void>): WarehouseClient =>
  Object.assign(Object.create(writer), {
    command: async (asked: Parameters<WarehouseClient['command']>[0]) => {
      const [, copy] = asked.query.split('INSERT INTO service_entries');
      if (copy === undefined) return writer.command(asked);
      await writer.command({
        query: 'CREATE OR REPLACE TABLE read_rows ENGINE = Memory AS SELECT * FROM service_entries LIMIT 0',
      });
      await writer.command({ ...asked, query: `INSERT INTO read_rows${copy}` });
      await meanwhile();
      const copied = await writer.command({ query: 'INSERT INTO service_entries SELECT * FROM read_rows' });
      await writer.command({ query: 'DROP TABLE read_rows' });
      return copied;
    },
  });

/** Labels a wallet as an exchange's and copies its entries, while something happens. */
const copyWhile = async (address: string, meanwhile: () => Promise<void>): Promise<void> => {
  const events = await openLabelEvents(stage.store.registry);
  const label = buildLabel({ address, kind: 'exchange', entity: 'alder', name: 'alder hot' });
  await stage.store.log.append([events.assert(label)]);
  const writer = whileCopying(stage.warehouse.writer, meanwhile);
  const logger = createLogger({ level: 'silent' });
  const labels = startLabels({ store: stage.store, warehouse: { writer }, logger });
  await expect.poll(() => labels.isSettled(), PATIENCE).toBe(true);
  await labels.stop();
};

const COLUMNS = 'direction, asset_family, amount, block_number, tx_index, index, address, counterparty';
const entriesOf = (address: string) =>
  stage.ask(
    `SELECT ${COLUMNS} FROM account_entries WHERE address = '${address}' AND ${VISIBLE_ROWS} ORDER BY ALL`,
  );
const entriesOfServices = () =>
  stage.ask(`SELECT ${COLUMNS} FROM service_entries FINAL WHERE ${VISIBLE_ROWS} ORDER BY ALL`);
const countHidden = async () => Number((await stage.ask('SELECT count() FROM retracted FINAL'))[0]);

const plain = (number: number, transactions = 1): DecodedBlock => ({
  ...blockOf(number, transactions),
  ...{ assets: [], bridgeTransfers: [] },
});
const many = (transactions: number) =>
  Array.from({ length: DELETED_AT_ONCE }, (_, at) => plain(1 + at, transactions));

test('what services moved is what their wallets moved, each row once, though fuller blocks come and the others are deleted while it is copied', async () => {
  await stage.append(stage.encoded(...many(1)), 3);
  await stage.drain();
  await copyWhile('wallet-0', async () => {
    await stage.append(stage.encoded(...many(2)), 4);
    await stage.drain();
    expect(await countHidden()).toBe(0);
  });
  const moved = await entriesOf('wallet-0');
  expect(moved.length).toBeGreaterThan(DELETED_AT_ONCE);
  expect(await entriesOfServices()).toEqual(moved);
});

test('a payment that its chain took back while it was copied is none of the exchange', async () => {
  const paying = (to: string, hash: string) => ({
    ...buildBlock({
      ...{ chain: 'solana', number: 1_000_000, timeUnixSeconds: 1_700_000_000 },
      transactions: [
        { hash: `${hash}-tx`, sender: 'hot', movements: [{ from: 'hot', to, amountRaw: 5_000_000_000n }] },
      ],
    }),
    hash,
  });
  // As many events as chains have taken back since the last clean-up, less one.
  await stage.append(stage.encoded(...many(1).slice(1)), 5);
  await stage.append(stage.encoded(paying('innocent', 'abandoned')), 0, HEAD);
  await stage.drain();
  const taken = await stage.ask('SELECT sequence FROM blocks WHERE number < 1000000');
  await hideRetracted(stage.warehouse.writer, taken.map(Number));
  await copyWhile('hot', async () => {
    const place = { chain: 'solana', blockNumber: 1_000_000, blockHash: 'abandoned' };
    const retraction = stage.store.encodeRetraction({ ...place, offsets: [0] });
    await stage.append([retraction, ...stage.encoded(paying('thief', 'adopted'))], 0, HEAD);
    await stage.drain();
    expect(await countHidden()).toBe(0);
  });
  expect(await stage.ask('SELECT counterparty FROM service_entries FINAL')).toEqual([['thief']]);
});
