import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createWarehouseClient } from '../../platform/warehouse-engine/create-clients.ts';
import { connectServerWarehouse } from '../../platform/warehouse-engine/server/connect-server-warehouse.ts';
import { describeWarehouse } from '../../platform/warehouse-engine/warehouse.contract.ts';
import { type ClickHouseServer, findClickHouse } from '../../testing/engines/clickhouse-server.ts';
import { PROGRAMS, runProgram } from '../../testing/run-program.ts';
import { sumTables, sumTablesIn } from '../../testing/table-sums.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { writeBlockFiles } from '../../testing/world/write-block-files.ts';
import { DATABASE } from './database.ts';

const WORLD = { seed: 21, people: 6, days: 1, blockSeconds: 3_600 };
const found = await findClickHouse();
const { name, skip } =
  'missing' in found
    ? { name: `a ClickHouse server (${found.missing})`, skip: true }
    : { name: 'a ClickHouse server', skip: false };

describe.skipIf(skip)(name, () => {
  let server: ClickHouseServer;
  beforeAll(async () => {
    if ('start' in found) server = await found.start();
    await refuseUsed();
  });
  afterAll(async () => {
    await empty();
    await server[Symbol.asyncDispose]();
  });

  const connect = () =>
    connectServerWarehouse({ ...server, database: DATABASE, cluster: null, makesDatabase: true });

  const userOf = (text: string) => {
    const { origin, username, password } = new URL(text);
    const credentials = { username, password: decodeURIComponent(password) };
    return {
      url: origin,
      credentials,
      headers: { 'x-clickhouse-user': username, 'x-clickhouse-key': credentials.password },
    };
  };

  /** Runs in no database: in one that is dropped nothing can be asked. */
  const outside = async (query: string): Promise<string> => {
    const client = createWarehouseClient({ ...userOf(server.url), database: 'system' });
    const answer = await client.exec({ query });
    let text = '';
    for await (const chunk of answer.stream) text += chunk;
    await client.close();
    return text.trim();
  };
  const empty = () => outside(`DROP DATABASE IF EXISTS ${DATABASE} SYNC`);
  /** The suites empty the database: it must not be anybody's. */
  const refuseUsed = async (): Promise<void> => {
    const tables = await outside(`SELECT count() FROM system.tables WHERE database = '${DATABASE}'`);
    if (tables !== '0') throw new Error(`the server has ${tables} tables in ${DATABASE}: it is somebody's`);
  };

  describeWarehouse('server', {
    hasOwnWalls: false,
    start: async () => {
      const warehouse = await connect();
      const [writer, reader] = [userOf(server.url), userOf(server.readerUrl)];
      return {
        warehouse,
        url: writer.url,
        writerHeaders: writer.headers,
        readerHeaders: reader.headers,
        stop: async () => {
          await warehouse.close();
          await empty();
        },
      };
    },
  });

  test('its reader changes nothing, reads no files and reaches no network', async () => {
    const warehouse = await connect();
    await warehouse.writer.command({ query: 'CREATE TABLE guarded (a UInt8) ENGINE = MergeTree ORDER BY a' });
    for (const query of [
      'INSERT INTO guarded VALUES (2)',
      'CREATE TABLE mine (a UInt8) ENGINE = Memory',
      'DROP TABLE guarded',
      'TRUNCATE TABLE guarded',
      'ALTER TABLE guarded DELETE WHERE 1',
      'SYSTEM STOP MERGES',
      'KILL QUERY WHERE 1',
      'SET readonly = 0',
      "SELECT * FROM file('/etc/hostname', 'LineAsString')",
      "SELECT * FROM url('http://127.0.0.1:1/', 'CSV', 'a String')",
      "SELECT * FROM remote('127.0.0.1:1', system.one)",
    ])
      await expect(warehouse.reader.command({ query }), query).rejects.toMatchObject({ code: /^\d+$/ });
    const answer = await warehouse.reader.query({
      query: 'SELECT count() FROM guarded',
      format: 'TabSeparated',
    });
    expect((await answer.text()).trim()).toBe('0');
    await warehouse.close();
    await empty();
  });

  test('every command works on its tables, which become what they become in a folder, and a rebuild makes them again', async () => {
    const blocks = temporaryFolder();
    writeBlockFiles(blocks, WORLD);
    const env = {
      ...{ SPOOR_DATA: temporaryFolder(), CLICKHOUSE_URL: server.url },
      CLICKHOUSE_READER_URL: server.readerUrl,
    };
    const inFiles = { SPOOR_DATA: temporaryFolder() };
    for (const where of [env, inFiles]) {
      const replayed = await runProgram(PROGRAMS.cli, ['replay', blocks], where);
      expect(replayed.code, replayed.stderr).toBe(0);
    }
    const expected = await sumTablesIn(join(inFiles.SPOOR_DATA, 'chain', 'warehouse'));
    const sum = async () => {
      const warehouse = await connect();
      const sums = await sumTables(warehouse.writer);
      await warehouse.close();
      return sums;
    };
    expect(await sum()).toEqual(expected);
    const rebuilt = await runProgram(PROGRAMS.cli, ['rebuild', '--json'], env);
    expect(JSON.parse(rebuilt.stdout), rebuilt.stderr).toMatchObject({ identical: true });
    const doctor = await runProgram(PROGRAMS.cli, ['doctor', '--json'], env);
    expect(JSON.parse(doctor.stdout), doctor.stderr).toMatchObject({ store: 'chain', lag_records: 0 });
    await empty();
  });
});
