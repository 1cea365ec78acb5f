import { expect, test } from 'vitest';
import { move, tellStory } from '../../testing/chain-story.ts';
import { createMemoryTraceReader } from '../../testing/memory/memory-trace-reader.ts';
import { runCommand } from '../../testing/run-command.ts';
import { startApi } from '../../testing/start-api.ts';

const [ANN, BEA] = ['a', 'b'].map((digit) => `0x${digit.repeat(40)}`) as [string, string];
const HASH = `0x${'1'.repeat(64)}`;
const blocks = tellStory('ethereum', [{ time: 1_000, hash: HASH, moves: [move(ANN, BEA, 10n ** 18n)] }]);

test.each(['tx', 'follow', 'analyze', 'victims', 'insiders'])(
  'spoor %s takes the hash of a transaction, lists what it moved and how to go on',
  async (command) => {
    await using api = await startApi({ traceReader: createMemoryTraceReader(blocks) });
    const { code, stdout } = await runCommand([command, HASH, '--url', api.url], {});
    expect(code).toBe(0);
    expect(stdout).toContain(`https://etherscan.io/tx/${HASH}`);
    expect(stdout).toMatch(/1 ETH {2}0xa{40} → 0xb{40}/i);
    expect(stdout).toMatch(
      /npx spoor follow 0xb{40} --chain ethereum --asset native --since 1000 --counterparty 0xa{40} --url/i,
    );
    const csv = await runCommand([command, HASH, '--url', api.url, '--csv'], {});
    expect(csv.stdout).toMatch(/^from,to,/);
  },
);
