import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { readExamples } from '../../api/contract/describe-api.ts';
import type { Flow } from '../../sdk/create-spoor.ts';
import { drawFlow } from './draw-flow.ts';

test('an end of a flow is drawn with where it came out of a bridge, and with the calls that go on', () => {
  const flow = readExamples().graph?.answer as Flow;
  const crossing = {
    ...{ chain: 'base' as const, address: '0xbea', amount: 59, amount_raw: '59000000', signature: '0xff' },
    ...{ asset: { symbol: 'USDC', address: '0xusdc', decimals: 6 }, since: 1_756_900_000 },
    ...{ by: 'id' as const, confidence: 1 },
  };
  const [mixer, ...others] = flow.ends;
  if (mixer === undefined) throw new Error('the example has no end');
  const bridge = { ...mixer, reason: 'bridge' as const, crossings: [crossing], next: [] };
  const lines = stripVTControlCharacters(drawFlow({ ...flow, ends: [mixer, bridge, ...others] })).split('\n');
  const at = lines.findIndex((line) => line.startsWith('  mixer: 2,000 SOL'));
  expect(lines.slice(at, at + 4)).toEqual([
    expect.stringContaining('100 %'),
    `    goes on: ${mixer.next.length} × /trace, see --json`,
    expect.stringContaining('bridge: 2,000 SOL'),
    '    → base: 59 USDC, 0xbea, 2025-09-03 11:46:40 UTC',
  ]);
});
