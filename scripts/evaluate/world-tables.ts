import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TruthLine } from '../../services/demo-world/truth.ts';
import { worldBlocks } from '../../services/demo-world/world-blocks.ts';
import { createTruthFile } from '../../services/demo-world/write-truth.ts';
import { checkColumns } from '../../services/events/check-columns.ts';
import { SEQUENCE_SLOTS } from '../../services/events/event-sequence.ts';
import type { DecodedBlock } from '../../services/investigate/model/block.ts';
import type { AssertedLabel, Label } from '../../services/investigate/model/label.ts';
import { splitRecord } from '../../services/platform/avro/wire-format.ts';
import type { WarehouseClient } from '../../services/platform/warehouse-engine/warehouse.ts';
import { deriveFacts } from '../../services/warehouse/derive/derive-facts.ts';
import { copyServiceEntries } from '../../services/warehouse/labels/copy-service-entries.ts';
import { insertLabels } from '../../services/warehouse/labels/insert-labels.ts';
import { updateServiceWallets } from '../../services/warehouse/labels/update-service-wallets.ts';
import {
  insertBlockTransfers,
  type SequencedRecord,
} from '../../services/warehouse/sink/insert-block-transfers.ts';
import { say, secondsOf, withStore } from '../bench/bench-store.ts';
import { UsageError } from '../bench/run-chosen.ts';

export type PublicLabel = Label & { readonly chain: string; readonly address: string };

export type WorldTables = {
  readonly client: WarehouseClient;
  /** Public labels of the world. */
  readonly publicLabels: readonly PublicLabel[];
  /** Of deposit addresses, derived from their behaviour. */
  readonly depositLabels: readonly PublicLabel[];
  /** Opens the truth, for the grader, after the answers. */
  readonly openTruth: () => TruthLine[];
};

const BATCH_BLOCKS = 2_000;

export type TabledWorld = {
  readonly seed: number;
  readonly people?: number;
  /** As of the end of the world. */
  readonly hardCases?: boolean;
  /** Every block for the tables, both chains in time order. */
  readonly onBlock?: (block: DecodedBlock) => void;
};

/** A generated world's tables with public labels and derived facts, as in a service that has read all of it. */
export const withWorldTables = <T>(
  { onBlock = () => {}, ...world }: TabledWorld,
  answer: (tables: WorldTables) => Promise<T>,
): Promise<T> =>
  withStore(async ({ store, warehouse }) => {
    const { writer: client } = warehouse;
    const truth = createTruthFile(store.folder);
    const publicLabels: PublicLabel[] = [];
    const depositLabels: PublicLabel[] = [];
    const tokens: Extract<TruthLine, { type: 'asset' }>[] = [];
    const noteTruth = (line: TruthLine): void => {
      truth.write(line);
      if (line.type === 'asset') tokens.push(line);
      if (line.type !== 'label' || !line.known) return;
      const { chain, address, name, kind } = line;
      publicLabels.push({ chain, address, name, kind: kind as Label['kind'] });
    };
    const seconds = await secondsOf(async () => {
      let records: SequencedRecord[] = [];
      let sequence = 0;
      const insert = async (): Promise<void> => {
        await insertBlockTransfers(warehouse, { records, token: `world-${sequence}` });
        records = [];
      };
      for (const block of worldBlocks(world, noteTruth)) {
        onBlock(block);
        for (const record of store.encodeBlock(block)) {
          const avro = splitRecord(record).body;
          records.push({ sequence: sequence++ * SEQUENCE_SLOTS, avro, ...checkColumns(avro) });
        }
        if (records.length >= BATCH_BLOCKS) await insert();
      }
      await insert();
      truth.close();
      await assertLabels(client, publicLabels.map(toAsserted));
      await describeTokens(client, tokens);
      const lanes = [{ lane: 0, end: sequence * SEQUENCE_SLOTS }];
      // The world has ended, so nothing is retracted any more.
      await deriveFacts(client, { lanes, depth: () => 0, signal: new AbortController().signal });
      const derived = await readDepositLabels(client);
      depositLabels.push(...derived);
      await assertLabels(client, derived);
    });
    say(`world ${world.seed} read in and derived from in ${seconds.toFixed(0)} s`);
    const openTruth = (): TruthLine[] =>
      readFileSync(join(store.folder, 'truth.jsonl'), 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as TruthLine);
    return answer({ client, publicLabels, depositLabels, openTruth });
  });

/** Tokens' descriptions by a node: counterfeits copy symbols. */
const describeTokens = async (
  client: WarehouseClient,
  tokens: readonly Extract<TruthLine, { type: 'asset' }>[],
): Promise<void> => {
  await client.insert({
    table: 'asset_claims',
    values: tokens.map(({ chain, asset, symbol, decimals }) => ({
      chain,
      asset,
      symbol,
      decimals,
      sequence: 0,
    })),
    format: 'JSONEachRow',
  });
};

/** The service of "Alder 2" and "Hollow 0.1 ETH" is the text before the number. */
const toAsserted = ({ chain, address, name, kind }: PublicLabel): AssertedLabel =>
  labelOf({ chain, address, name, kind, entity: name.replace(/ [\d.]+( [A-Z]+)?$/, ''), confidence: 0.9 });

const labelOf = (
  known: Pick<AssertedLabel, 'chain' | 'address' | 'name' | 'kind' | 'entity' | 'confidence'>,
): AssertedLabel => ({
  ...known,
  ...{ category: '', source: 'world', creator: '', inheritedFrom: null, evidence: '' },
  ...{ validFrom: null, validTo: null, assertedAt: 0 },
});

/** Deposit addresses are known by their behaviour. */
const readDepositLabels = async (client: WarehouseClient): Promise<AssertedLabel[]> => {
  const answer = await client.query({
    query: 'SELECT chain, address, entity, confidence FROM deposit_addresses FINAL WHERE holds',
    format: 'JSONEachRow',
  });
  const found = await answer.json<{ chain: string; address: string; entity: string; confidence: number }>();
  return found.map((each) => labelOf({ ...each, name: `${each.entity} deposit`, kind: 'exchange' }));
};

const assertLabels = async (client: WarehouseClient, labels: readonly AssertedLabel[]): Promise<void> => {
  const events = labels.map((label, sequence) => ({
    sequence,
    event: { type: 'LabelAsserted' as const, label },
  }));
  await insertLabels(client, events);
  await updateServiceWallets(
    client,
    labels.map(({ chain, address }, sequence) => ({ chain, address, sequence })),
  );
  while (await copyServiceEntries({ client, untilStored: async () => {} }));
};

/** `--world SEED`, or what `option` names. */
export const parseSeed = (text: string | undefined, option = '--world'): number => {
  const seed = /^\d+$/.test(text ?? '') ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(seed)) throw new UsageError(`${option} takes a seed, a whole number from 0 on`);
  return seed;
};

/** `--people N`; default: the world's own number. */
export const parsePeople = (text: string | undefined): { people?: number } => {
  if (text === undefined) return {};
  const people = Number(text);
  if (!Number.isSafeInteger(people) || people < 1)
    throw new UsageError('--people takes how many live on each chain, a whole number from 1 on');
  return { people };
};
