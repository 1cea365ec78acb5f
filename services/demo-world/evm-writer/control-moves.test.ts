import { expect, test } from 'vitest';
import { decodeEvmBlock } from '../../ingest/evm/decode-evm-block.ts';
import { createRandom } from '../random.ts';
import type { Draft } from '../writer.ts';
import { createEvmWriter } from './create-evm-writer.ts';

const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';

test('what changes control in a generated block is decoded as what it is', () => {
  const writer = createEvmWriter({ chain: 'ethereum', chainId: 1, seed: 5, random: createRandom(5) });
  const [owner, thief, factory, token, wallet, code] = Array.from({ length: 6 }, writer.newAddress) as [
    ...[string, string, string, string, string, string],
  ];
  for (const address of [owner, thief, wallet]) writer.endow(address, 'native', 10n ** 20n);
  const direct = (sender: string, move: Draft['calls'][number]['moves'][number]): Draft => ({
    sender,
    calls: [{ moves: [move] }],
  });
  const parties = { owner: wallet, spender: thief, asset: USDC, amountRaw: 9n };
  writer.open(20_000_000, 1_760_000_000);
  const drafts: Draft[] = [
    { sender: owner, calls: [{ program: factory, moves: [{ type: 'create', contract: token, owner }] }] },
    direct(owner, { type: 'create', contract: code, owner }),
    direct(owner, { type: 'change_owner', contract: token, from: owner, to: thief }),
    direct(thief, { type: 'upgrade', contract: token, code }),
    direct(wallet, { type: 'approve', ...parties }),
    direct(thief, { type: 'permit', ...parties }),
    direct(owner, { type: 'freeze', asset: USDC, account: thief }),
    direct(owner, { type: 'freeze', asset: USDC, account: thief, isReleased: true }),
  ];
  for (const draft of drafts) writer.write(draft);
  const { block, receipts, traces } = writer.seal();
  const decoded = decodeEvmBlock({ chain: 'ethereum', block, receipts, traces });
  expect(decoded.problems).toEqual([]);
  expect(decoded.controlEvents.filter(({ kind }) => kind !== 'calls')).toMatchObject([
    { txIndex: 0, kind: 'contract_created', subject: token, holder: owner, party: factory },
    { txIndex: 0, kind: 'authority_changed', subject: token, holder: null, party: owner, detail: 'owner' },
    { txIndex: 1, kind: 'contract_created', subject: code, holder: owner, party: null },
    { txIndex: 1, kind: 'authority_changed', subject: code, party: owner },
    { txIndex: 2, kind: 'authority_changed', subject: token, holder: owner, party: thief, byHolder: true },
    { txIndex: 3, kind: 'program_upgraded', subject: token, party: code },
    { txIndex: 4, kind: 'approval', subject: USDC, holder: wallet, party: thief, byHolder: true },
    { txIndex: 5, kind: 'permit', subject: USDC, holder: wallet, party: thief, byHolder: false },
    { txIndex: 6, kind: 'frozen', subject: USDC, holder: thief, party: owner },
    { txIndex: 7, kind: 'thawed', subject: USDC, holder: thief, party: owner },
  ]);
});
