import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import type { AnalyzeAnswer } from '../../api/analyze/answer.ts';
import type { InsidersAnswer } from '../../api/insiders/answer.ts';
import { decodeEvmBlock } from '../../ingest/evm/decode-evm-block.ts';
import type { DecodedBlock } from '../../investigate/model/block.ts';
import { DeriveStage } from '../../testing/derive-stage.ts';
import { decodeRealBlock } from '../../testing/evm/real-evm-blocks.ts';
import { describeWithSharedData, sharedData } from '../../testing/shared-data.ts';
import { startApi } from '../../testing/start-api.ts';

import { createCaseReader } from './create-case-reader.ts';
import { createControlReader } from './create-control-reader.ts';
import { createFunderReader } from './create-funder-reader.ts';
import { createProfileReader } from './create-profile-reader.ts';
import { createTokenReader } from './create-token-reader.ts';
import { createTransferReader } from './create-transfer-reader.ts';

const stage = new DeriveStage();
afterEach(() => stage.empty());

/** Answers of the service over tables that hold these blocks and nothing else. */
const openOver = async (blocks: readonly DecodedBlock[]) => {
  await stage.insert(blocks);
  await stage.derive();
  const { reader } = stage.warehouse;
  const control = createControlReader(reader);
  const api = await startApi({
    reader: createTransferReader(reader),
    profileReader: createProfileReader(reader),
    cases: createCaseReader(reader),
    funders: createFunderReader(reader),
    tokens: createTokenReader(reader),
    ...{ control, controls: control },
  });
  const ask = async <Answer>(path: string, body: object): Promise<Answer> => {
    const response = await api.post(path, { chain: 'ethereum', ...body });
    expect(response.status).toBe(200);
    return (await response.json()) as Answer;
  };
  return {
    analyze: (address: string) => ask<AnalyzeAnswer>('/analyze', { address }),
    insiders: (token: string) => ask<InsidersAnswer>('/insiders', { token, window: 3_600 }),
    [Symbol.asyncDispose]: () => api.close({ graceMs: 0 }),
  };
};

const realBlock = (number: number): DecodedBlock =>
  decodeRealBlock({ chain: 'ethereum', number: String(number) });

const GATE = '0x0d0707963952f2fba59dd06f2b425ace40b492fe';
const ROUTER = '0x7a250d5630b4cf539739df2c5dacb4c659f2488d';
const PEPE = '0x6982508145454ce325ddbe47a25d4ec3d2311933';

describeWithSharedData(
  'from single real blocks nothing follows for the years between and before them',
  () => {
    test('a busy hot wallet did not sleep between two blocks', async () => {
      await using service = await openOver([realBlock(8_000_000), realBlock(18_000_000)]);
      const { behaviours, activity, risk, funding, balances } = await service.analyze(GATE);
      expect(activity).toMatchObject({ seen_in: expect.stringContaining('2023-08-26T16:21:35') });
      expect(behaviours.map(({ name }) => name)).not.toContain('sleeper');
      for (const { detail } of behaviours) expect(detail).toContain('Seen only in indexed blocks');
      expect(risk).toMatchObject({
        level: 'unknown',
        score: null,
        basis: expect.stringMatching(/^\d+ transactions/),
      });
      expect([funding, ...balances.map(({ amount_raw }) => amount_raw)].every((each) => each === null)).toBe(
        true,
      );
    });

    test("a router's customer is not its first funder", async () => {
      await using service = await openOver([realBlock(11_098_450)]);
      const { funding, risk, program } = await service.analyze(ROUTER);
      expect(funding).toBeNull();
      expect(risk.reasons.map(({ code }) => code).filter((code) => code.startsWith('funded_by'))).toEqual([]);
      expect(program?.first_seen ?? null).toBeNull();
    });

    test('a token has no supply, no shares, no launch and no insiders', async () => {
      await using service = await openOver([realBlock(17_173_050)]);
      const { token } = await service.analyze(PEPE);
      expect(token).toMatchObject({
        supply: null,
        holders: null,
        holders_top: [],
        red_flags: [],
        creator: null,
      });
      const found = await service.insiders(PEPE);
      expect(found).toMatchObject({
        token: { supply_raw: null, holders: null },
        creator: null,
        launch: null,
      });
      expect(found).toMatchObject({ insiders: [], totals: { share_held: null, early_buyers: null } });
      expect(found.meta).toMatchObject({ scope: 'no_data', detail: expect.stringContaining('not all') });
    });

    test('amounts near 2^256 count as what they are', async () => {
      const folder = sharedData('cases/outside/token-amount-above-2-255/huge/ethereum');
      const blocks = readdirSync(folder).map((number) => {
        const part = (name: string): unknown =>
          JSON.parse(readFileSync(`${folder}/${number}/${name}.json`, 'utf8'));
        return decodeEvmBlock({
          chain: 'ethereum',
          ...{ block: part('block'), receipts: part('receipts'), traces: part('traces') },
        });
      });
      await using service = await openOver(blocks);
      const { token, insiders } = await service.insiders('0xbf3a39720feb965c4173fc22f83faa9e2efd01ba');
      expect(BigInt(token.supply_raw ?? 0)).toBe(2n * (2n ** 256n - 1n) + 1_000n * 10n ** 18n);
      expect(token.holders).toBe(5);
      const held = Object.fromEntries(
        insiders.map(({ address, share_held }) => [address.toLowerCase().slice(0, 10), share_held]),
      );
      expect(held['0xf2e8102f']).toBeLessThan(1e-9);
      expect([held['0x518021d6'], held['0x4a9decda']]).toEqual([0.5, 0.5]);
    });
  },
);
