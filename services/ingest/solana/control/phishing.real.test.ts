import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { describeWithSharedData, sharedData } from '../../../testing/shared-data.ts';
import { decodeSolanaBlock } from '../decode-solana-block.ts';
import { parseSolanaBlock } from '../encoding/parse-solana-block.ts';

const unzip = (path: string): string => gunzipSync(readFileSync(sharedData(path))).toString();

/** The control events of every transaction of a folder, each alone in a block; `calls` left out. */
const eventsIn = (folder: string) =>
  readdirSync(sharedData(folder)).map((name) => {
    const head = '"blockhash":"b","previousBlockhash":"a","parentSlot":1,"blockTime":1720000000';
    const block = parseSolanaBlock(`{${head},"transactions":[${unzip(`${folder}/${name}`)}]}`);
    const decoded = decodeSolanaBlock({ block, slot: 2, chain: 'solana', votes: 'sum' });
    const events = decoded.controlEvents.filter(({ kind }) => kind !== 'calls');
    return { signature: name.replace('.json.gz', ''), events };
  });

describeWithSharedData('real phishing', () => {
  const labelled = new Map(
    unzip('truth/victims/solana_phishing.csv.gz')
      .split('\n')
      .map((line) => [line.split(',')[1] ?? '', line]),
  );
  const found = [...eventsIn('solana/transactions/nft-airdrop'), ...eventsIn('solana/transactions/hack')];

  test('a victim’s wallet that was handed over is told with its victim and the thief’s program, as it is labelled', () => {
    const named = found.flatMap(({ signature, events }) => {
      const line = labelled.get(signature);
      return line === undefined ? [] : [{ line, events }];
    });
    expect(named).toHaveLength(2);
    for (const { line, events } of named) {
      // number, signature, time, kind, victim, thieves, token accounts, loss
      const [, , , kind, victim = '', ...others] = line.split(',');
      const rest = others.join(',');
      expect(kind).toBe('AAT');
      expect(events.map((event) => event.kind)).toContain('owner_assigned');
      for (const { subject, holder, party, byHolder } of events) {
        expect([holder, byHolder]).toEqual([victim, true]);
        expect(rest).toContain(party ?? '?');
        expect(subject === victim || rest.includes(subject)).toBe(true);
      }
    }
  });

  test('token accounts that were given away are told one by one, each by its owner’s own signature', () => {
    const given = found.flatMap(({ events }) => events.filter(({ detail }) => detail === 'owner'));
    expect(given).toHaveLength(25);
    expect(given.every(({ byHolder, asset, holder, party }) => byHolder && asset && holder && party)).toBe(
      true,
    );
    expect(new Set(given.map(({ subject }) => subject)).size).toBe(22);
  });
});
