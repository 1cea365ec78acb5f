import { expect, test } from 'vitest';
import { createBlockEncoder } from '../../../events/encode-block.ts';
import { decodeRealBlock, listRealBlocks, readRealParts } from '../../../testing/evm/real-evm-blocks.ts';
import { describeWithSharedData } from '../../../testing/shared-data.ts';

const APPROVAL = '0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925';

type Log = { topics: string[]; data: string };
type Frame = { type: string; error?: string; calls?: Frame[] };
type Raw = { receipts: { status?: string; logs: Log[] }[]; traces: { result: Frame }[] | null };

const isStandard = ({ topics, data }: Log): boolean =>
  topics[0] === APPROVAL &&
  topics[1] !== `0x${'0'.repeat(64)}` &&
  topics.length + (data.length - 2) / 64 === 4;

const countCreations = (frame: Frame): number => {
  if (frame.error) return 0;
  const below = (frame.calls ?? []).reduce((sum, call) => sum + countCreations(call), 0);
  return below + (frame.type.startsWith('CREATE') ? 1 : 0);
};

describeWithSharedData('real EVM blocks', () => {
  test.each(listRealBlocks())(
    '$chain $number: every approval that was logged and every contract that was made is one control event',
    (block) => {
      const { receipts, traces } = readRealParts(block) as Raw;
      const decoded = decodeRealBlock(block);
      const count = (isCounted: (detail: string | null, kind: string) => boolean): number =>
        decoded.controlEvents.filter(({ detail, kind }) => isCounted(detail, kind)).length;
      const logs = receipts.filter(({ status }) => status !== '0x0').flatMap((receipt) => receipt.logs);
      expect(
        count(
          (detail, kind) =>
            ['approval', 'permit'].includes(kind) && detail !== 'all' && !detail?.startsWith('until'),
        ),
      ).toBe(logs.filter(isStandard).length);
      if (traces !== null)
        expect(count((_, kind) => kind === 'contract_created')).toBe(
          traces.reduce((sum, { result }) => sum + countCreations(result), 0),
        );
      expect(createBlockEncoder(1)(decoded).length).toBeGreaterThan(0);
    },
  );
});
