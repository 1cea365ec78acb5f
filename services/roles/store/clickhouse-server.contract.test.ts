import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeBlockFiles } from '../../demo-world/write-block-files.ts';
import { createWarehouseClient } from '../../platform/warehouse-engine/create-clients.ts';
import { connectServerWarehouse } from '../../platform/warehouse-engine/server/connect-server-warehouse.ts';
import { describeWarehouse } from '../../platform/warehouse-engine/warehouse.contract.ts';
import { type ClickHouseServer, startClickHouse } from '../../testing/engines/clickhouse-server.ts';
import { runCommand } from '../../testing/run-command.ts';
import { PROGRAMS, runProgram } from '../../testing/run-program.ts';
import { sumTables, sumTablesIn } from '../../testing/table-sums.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { DATABASE } from './database.ts';

const WORLD = { seed: 21, people: 6, days: 1, blockSeconds: 3_600 };

describe('a ClickHouse server', () => {
  let server: ClickHouseServer;
  beforeAll(async () => {
    server = await startClickHouse();
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });

  const connect = () =>
    connectServerWarehouse({
      ...{ urls: [server.url], readerUrls: [server.readerUrl], database: DATABASE, cluster: null },
      makesDatabase: true,
    });

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

  describeWarehouse('server', async () => {
    const warehouse = await connect();
    const [writer, reader, analyst] = [server.url, server.readerUrl, server.analystUrl].map(userOf);
    if (!writer || !reader || !analyst) throw new Error('the server names three users');
    return {
      warehouse,
      url: writer.url,
      writerHeaders: writer.headers,
      readerHeaders: reader.headers,
      analystHeaders: analyst.headers,
      stop: async () => {
        await warehouse.close();
        await empty();
      },
    };
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
      const replayed = await runCommand(['replay', blocks], where);
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
    const doctor = await runCommand(['doctor', '--json'], env);
    expect(JSON.parse(doctor.stdout), doctor.stderr).toMatchObject({ store: 'chain', lag_records: 0 });
    await empty();
  });
});
