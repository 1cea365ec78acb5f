import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { startTwoShards } from '../../../testing/engines/two-shards.ts';
import { temporaryFolder } from '../../../testing/temporary-folder.ts';
import { readEndpoint } from '../embedded/endpoint.ts';
import { startEmbeddedWarehouse } from '../embedded/start-embedded-warehouse.ts';
import { WarehouseRefusedError } from '../warehouse-errors.ts';
import { checkCluster } from './check-cluster.ts';
import { connectServerWarehouse } from './connect-server-warehouse.ts';

const EXAMPLE = new URL('../../../../infra/clickhouse/cluster.example.yaml', import.meta.url);

test('servers that know each other, but have no places and no keeper, are refused at the start with each lack', async () => {
  await using shards = await startTwoShards();
  const [server] = shards.servers;
  if (!server) throw new RangeError('there are two servers');
  const lacks = checkCluster(server.writer, { name: 'main', quorum: 'auto' });
  await expect(lacks).rejects.toThrow(WarehouseRefusedError);
  await expect(lacks).rejects.toThrow(/has no shard,.*has no replica,.*no zookeeper/);
  await expect(checkCluster(server.writer, { name: 'other', quorum: 'auto' })).rejects.toThrow(
    /no cluster named other/,
  );
});

test('the example of a cluster’s configuration is read by the server and lacks only the keeper, which this one cannot have', async () => {
  const { remote_servers, macros } = parse(readFileSync(EXAMPLE, 'utf8'));
  const folder = temporaryFolder();
  const engine = await startEmbeddedWarehouse({
    ...{ folder, database: 'spoor' },
    configuration: { remote_servers, macros },
  });
  onTestFinished(() => engine.close());
  const login = readEndpoint(folder)?.credentials.writer;
  const connecting = connectServerWarehouse({
    urls: [engine.url.replace('://', `://${login?.username}:${login?.password}@`)],
    ...{ readerUrls: null, database: 'spoor', makesDatabase: true },
    cluster: { name: 'main', quorum: 'auto', shardingKeyOf: () => undefined },
  });
  await expect(connecting).rejects.toThrow(WarehouseRefusedError);
  await expect(connecting).rejects.toThrow(/shows how\): the server has no zookeeper[^;]*$/);
});
