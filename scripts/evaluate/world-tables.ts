import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Label } from '../../services/investigate/model/label.ts';
import { splitRecord } from '../../services/platform/avro/wire-format.ts';
import type { WarehouseClient } from '../../services/platform/warehouse-engine/warehouse.ts';
import type { TruthLine } from '../../services/testing/world/truth.ts';
import { worldBlocks } from '../../services/testing/world/world-blocks.ts';
import { createTruthFile } from '../../services/testing/world/write-truth.ts';
import { deriveFacts } from '../../services/warehouse/derive/derive-facts.ts';
import { insertBlockTransfers, type SequencedRecord } from '../../services/warehouse/sink-insert.ts';
import { say, secondsOf, withStore } from '../bench/bench-store.ts';
import { UsageError } from '../bench/run-chosen.ts';

export type PublicLabel = Label & { readonly chain: string; readonly address: string };

export type WorldTables = {
  readonly client: WarehouseClient;
  /** What everybody knows of the world's addresses. */
  readonly publicLabels: readonly PublicLabel[];
  /** Opens the truth: for the grader, when the answers have been given. */
  readonly openTruth: () => TruthLine[];
};

const BATCH_BLOCKS = 2_000;
// As the sequence of every first lane: the position in the log times the lanes there can be.
const SEQUENCE_STEP = 4_096;

/** The tables of a generated world, with everything derived from them, as a service has them that has read it to its end. */
export const withWorldTables = <T>(seed: number, answer: (tables: WorldTables) => Promise<T>): Promise<T> =>
  withStore(async ({ store, warehouse: { writer: client } }) => {
    const truth = createTruthFile(store.folder);
    const publicLabels: PublicLabel[] = [];
    const noteTruth = (line: TruthLine): void => {
      truth.write(line);
      if (line.type !== 'label' || !line.known) return;
      const { chain, address, name, kind } = line;
      publicLabels.push({ chain, address, name, kind: kind as Label['kind'] });
    };
    const seconds = await secondsOf(async () => {
      let records: SequencedRecord[] = [];
      let sequence = 0;
      const insert = async (): Promise<void> => {
        await insertBlockTransfers(client, { records, token: `world-${sequence}` });
        records = [];
      };
      for (const block of worldBlocks({ seed }, noteTruth)) {
        for (const record of store.encodeBlock(block)) {
          records.push({ sequence: sequence++ * SEQUENCE_STEP, avro: splitRecord(record).body });
        }
        if (records.length >= BATCH_BLOCKS) await insert();
      }
      await insert();
      truth.close();
      await nameServices(client, publicLabels);
      const lanes = [{ lane: 0, end: sequence * SEQUENCE_STEP }];
      // The world has ended: nothing of it is taken back any more.
      await deriveFacts(client, { lanes, depth: () => 0, signal: new AbortController().signal });
    });
    say(`world ${seed} read in and derived from in ${seconds.toFixed(0)} s`);
    const openTruth = (): TruthLine[] =>
      readFileSync(join(store.folder, 'truth.jsonl'), 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as TruthLine);
    return answer({ client, publicLabels, openTruth });
  });

/** The wallets of a service are numbered behind its name. */
const nameServices = (client: WarehouseClient, labels: readonly PublicLabel[]) =>
  client.insert({
    table: 'service_wallets',
    values: labels.map(({ chain, address, name, kind }) => ({
      chain,
      address,
      entity: name.replace(/ \d+$/, ''),
      kind,
    })),
    format: 'JSONEachRow',
  });

/** `--world SEED`. */
export const parseSeed = (text: string | undefined): number => {
  const seed = Number(text ?? '');
  if (text === undefined || !Number.isSafeInteger(seed) || seed < 0)
    throw new UsageError('--world takes a seed, a whole number from 0 on');
  return seed;
};
