import { expect, test } from 'vitest';
import { follow } from '../investigate/follow/follow.ts';
import { toCanonicalAsset } from '../investigate/model/asset.ts';
import { findChain } from '../investigate/model/chain.ts';
import type { Label } from '../investigate/model/label.ts';
import { followWith, toFollowRequest } from '../testing/ask-follow.ts';
import { createMemoryReader } from '../testing/memory-reader.ts';
import type { TruthLine } from './truth.ts';
import { worldBlocks } from './world-blocks.ts';

const truth: TruthLine[] = [];
const blocks = [
  ...worldBlocks({ seed: 21, people: 40, days: 7, blockSeconds: 600 }, (line) => truth.push(line)),
];
const linesOf = <Type extends TruthLine['type']>(type: Type): Extract<TruthLine, { type: Type }>[] =>
  truth.filter((line): line is Extract<TruthLine, { type: Type }> => line.type === type);

const toldIn = (chain: string, hash: string) =>
  blocks.flatMap((block) =>
    block.chain === chain
      ? block.bridgeTransfers.filter(({ txIndex }) =>
          block.transactions.some((each) => each.txIndex === txIndex && each.hash === hash),
        )
      : [],
  );

test('a crossing of the world is told by the bridge on both chains, under one number', () => {
  const links = linesOf('bridge_link');
  expect(new Set(links.map(({ from }) => from.chain)).size).toBe(2);
  for (const { from, to } of links) {
    const [sent, paid] = [toldIn(from.chain, from.tx), toldIn(to.chain, to.tx)];
    const parties = { from: from.wallet, to: to.wallet, bridge: 'debridge' };
    expect(sent).toMatchObject([
      { ...parties, side: 'deposit', farChain: to.chain, amountRaw: BigInt(from.amount_raw) },
    ]);
    expect(paid).toMatchObject([
      { ...parties, side: 'delivery', farChain: from.chain, amountRaw: BigInt(to.amount_raw) },
    ]);
    expect(paid[0]?.messageId).toBe(sent[0]?.messageId);
  }
});

test('a theft that leaves by the bridge is followed to its payment on the other chain', async () => {
  const labels = new Map<string, Label>(
    linesOf('label')
      .filter(({ known }) => known)
      .map(({ address, name, kind }) => [address, { name, kind: kind as Label['kind'] }]),
  );
  const reader = createMemoryReader(blocks, { labels });
  const trails = linesOf('trail').filter(({ end }) => end.reason === 'bridge');
  expect(new Set(trails.map(({ chain }) => chain))).toEqual(new Set(['solana', 'ethereum']));
  for (const { chain: chainName, start, since, asset, owner, end } of trails) {
    const link = linesOf('bridge_link').find((line) => line.owner === owner);
    const chain = findChain(chainName);
    const canonicalAsset = chain && toCanonicalAsset(chain, asset);
    const request = toFollowRequest({ chain: chainName, start, canonicalAsset, atUnixSeconds: since });
    const found = await follow(request, followWith(reader));
    expect(found.end).toMatchObject({
      reason: 'bridge',
      address: end.address,
      output: {
        by: 'id',
        address: link?.to.wallet,
        signature: link?.to.tx,
        amountRaw: BigInt(link?.to.amount_raw ?? 0),
      },
    });
  }
});
