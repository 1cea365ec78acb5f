import { afterAll, beforeAll, expect, test } from 'vitest';
import { findBlockFiles } from '../ingest/files/block-files.ts';
import type { DecodedBlock } from '../investigate/model/block.ts';
import { buildLabel } from '../testing/build-label.ts';
import { describeWithSharedData, sharedData } from '../testing/shared-data.ts';
import { type RunningApi, startApi } from '../testing/start-api.ts';
import { TableStage } from '../testing/table-stage.ts';
import { insertLabels } from '../warehouse/labels/insert-labels.ts';
import { createCaseReader } from '../warehouse/read/create-case-reader.ts';
import { createControlReader } from '../warehouse/read/create-control-reader.ts';
import { createFunderReader } from '../warehouse/read/create-funder-reader.ts';
import { createProfileReader } from '../warehouse/read/create-profile-reader.ts';
import { createTokenReader } from '../warehouse/read/create-token-reader.ts';
import { createTransferReader } from '../warehouse/read/create-transfer-reader.ts';
import type { AnalyzeAnswer } from './analyze/answer.ts';
import type { FollowAnswer } from './follow/answer.ts';
import type { FlowGraphAnswer } from './follow/graph-answer.ts';
import type { VictimsAnswer } from './victims/answer.ts';

const THIEF = '0x49e9d8fbacd1fb4aeb65a47d89e182c715351b9b';
const LISTED = '0x83a0ff19b0f525e0daa8d266b2e9f6ab0701ed33';
const OKX = '0x6cc5f688a315f3dc28a7781717a9a798a59fda7b';
const SWEEPER = '0x903a93cc48217e71117010bac63fd21fbb5ce82d';
const SWEPT = '0x185b1a9cb6deb0fa56ad2f2e83feaef9b0e72faf';
const CODE = '0xab3c9fe7a77796d34a0fd1c92e6cc41ff2adffe0';
const HYPERLIQUID = '0x2df1c51e09aecf9cacb7bc98cb1742757f163df7';

const blocksOf = async (folder: string): Promise<DecodedBlock[]> => {
  const blocks: DecodedBlock[] = [];
  for await (const file of findBlockFiles([sharedData(`cases/outside/${folder}`)], {
    chain: null,
    votes: 'sum',
  }))
    blocks.push((await file.read()).decode());
  return blocks;
};

describeWithSharedData('cases found from outside', () => {
  const stage = new TableStage();
  let api: RunningApi;

  beforeAll(async () => {
    for (const folder of [
      ...['label-of-a-key-on-another-chain/okx-on-base', 'bridge-unlabelled-hyperliquid/hyperliquid-pool'],
      'victims-7702-sweeper/sweeper-7702',
    ])
      await stage.insert(await blocksOf(folder));
    const said = [
      buildLabel({
        chain: 'ethereum',
        address: LISTED,
        kind: 'sanctioned',
        name: 'OFAC: listed',
        creator: 'OFAC',
      }),
      buildLabel({ chain: 'ethereum', address: OKX, kind: 'exchange', name: 'OKX', entity: 'okx' }),
    ];
    await insertLabels(
      stage.warehouse.writer,
      said.map((label) => ({ sequence: stage.takeSequence(), event: { type: 'LabelAsserted', label } })),
    );
    const { reader: client } = stage.warehouse;
    const clock = { nowUnixMs: () => 1_780_100_000_000 };
    const controls = createControlReader(client, clock);
    api = await startApi({
      ...{ reader: createTransferReader(client, clock), profileReader: createProfileReader(client, clock) },
      ...{
        control: controls,
        controls,
        cases: createCaseReader(client),
        funders: createFunderReader(client),
      },
      ...{ tokens: createTokenReader(client), clock, chains: ['ethereum', 'base', 'arbitrum'] },
    });
  });
  afterAll(() => api?.close({ graceMs: 0 }));

  const ask = async <Answer>(path: string, body: object): Promise<Answer> => {
    const response = await api.post(path, body);
    const answer = (await response.json()) as Answer;
    expect({ status: response.status, answer }).toMatchObject({ status: 200 });
    return answer;
  };
  const toLower = (hops: readonly { readonly to: string }[]) => hops.map(({ to }) => to.toLowerCase());

  test('who is sanctioned on one chain is so on another, and the answer says where it was said', async () => {
    const { labels, risk } = await ask<AnalyzeAnswer>('/analyze', { address: LISTED, chain: 'base' });
    const told = labels.map(({ kind, inherited_from }) => [kind, inherited_from?.toLowerCase()]);
    expect(told).toEqual([['sanctioned', `ethereum:${LISTED}`]]);
    expect(risk).toMatchObject({ level: 'critical', score: 100 });
  });

  test('a trail ends at an exchange that is only listed on another chain', async () => {
    const { hops, end } = await ask<FollowAnswer>('/follow', {
      address: THIEF,
      chain: 'base',
      since: 1_780_000_500,
    });
    expect([toLower(hops), end.reason]).toEqual([[LISTED, OKX], 'exchange']);
  });

  test('a trail ends at an unlabelled bridge, and a whole flow names none of those who withdrew', async () => {
    const asked = { address: THIEF, chain: 'arbitrum', since: 1_780_001_500 };
    const { hops, end } = await ask<FollowAnswer>('/follow', asked);
    expect([toLower(hops), end.reason]).toEqual([[LISTED, HYPERLIQUID], 'at_rest']);
    expect(end.detail).toContain('a contract that many others pay');
    const { nodes } = await ask<FlowGraphAnswer>('/follow', { ...asked, graph: true });
    const addresses = nodes.map(({ address }) => address.toLowerCase());
    expect(addresses.sort()).toEqual([HYPERLIQUID, THIEF, LISTED].sort());
  });

  test('the victim of a sweeper is a victim, and its delegation is still open', async () => {
    const { victims, not_victims, revocable } = await ask<VictimsAnswer>('/victims', {
      address: SWEEPER,
      chain: 'ethereum',
    });
    const told = victims.map(({ address, losses }) => [
      address.toLowerCase(),
      ...losses.map(({ method, amount_raw }) => `${method} ${amount_raw}`),
    ]);
    expect(told).toEqual([[SWEPT, 'code 7000000000', 'code 3000000000000000000']]);
    expect(not_victims.map(({ reason }) => reason)).not.toContain('contract');
    const open = revocable.map(({ kind, holder, hand }) => [kind, holder.toLowerCase(), hand.toLowerCase()]);
    expect(open).toEqual([['code', SWEPT, CODE]]);
  });

  test('the risk of a wallet whose code is swept names the delegation and what it paid out', async () => {
    const { risk } = await ask<AnalyzeAnswer>('/analyze', { address: SWEPT, chain: 'ethereum' });
    expect(risk.level).toBe('high');
    const [reason] = risk.reasons.filter(({ code }) => code === 'delegated_to_unknown_code');
    expect(reason?.strength).toBe(1);
    expect(reason?.evidence.map(({ counterparty }) => counterparty?.toLowerCase())).toContain(CODE);
    expect(reason?.evidence.length).toBeGreaterThan(1);
  });
});
