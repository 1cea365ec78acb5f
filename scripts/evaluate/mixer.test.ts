import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../services/testing/temporary-folder.ts';
import { evaluation } from './mixer.ts';

test('pairs are looked for in plain files too, and one that cannot be traced counts as not found', async () => {
  const folder = temporaryFolder();
  const event = (direction: string, block: number, from: string, to: string): string =>
    `ethereum,pool,${direction},${block},,0x${block},${from},${to},1000000000000000000,0,`;
  const header = 'chain,pool,direction,block_number,time_unix,tx_hash,from,to,amount,fee,relayer';
  const events = [
    event('deposit', 10, 'ann', ''),
    event('deposit', 20, '', ''),
    event('withdrawal', 30, '', 'ann'),
    event('withdrawal', 40, '', 'bob'),
  ];
  writeFileSync(join(folder, 'transfers.csv'), [header, ...events].join('\n'));
  const pairs = [
    'evidence,pool,depositor,recipient,deposit_tx,withdrawal_tx,deposit_block,withdrawal_block',
    'same,pool,ann,ann,0x10,0x30,10,30',
    'other,pool,bea,bob,0x20,0x40,20,40',
  ];
  writeFileSync(join(folder, 'pairs.csv'), pairs.join('\n'));
  const figures = await evaluation.run(['--events', folder, '--pairs', join(folder, 'pairs.csv')]);
  const figureOf = (name: string, subject: string) =>
    figures.find((figure) => figure.name === `mixer.${name}` && figure.subject === subject);
  expect(figureOf('pairs', 'forward')).toMatchObject({ value: 2, details: { refused: 1 } });
  expect(figureOf('in_window_share', 'forward')).toMatchObject({ value: 1 });
  expect(figureOf('top1', 'forward')).toMatchObject({ value: 0.5 });
  expect(figureOf('pairs', 'backward')).toMatchObject({ value: 2, details: { refused: 0 } });
});
