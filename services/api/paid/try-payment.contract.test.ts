import { privateKeyToAccount } from 'viem/accounts';
import { expect, test } from 'vitest';
import { expectEnded } from '../../testing/processes.ts';
import { PROGRAMS, startProgram } from '../../testing/run-program.ts';
import { evmClient, payingFetch, receiptOf } from '../../testing/x402/pay-api.ts';

const TIMEOUT_MS = 300_000;

test(
  'the command pays for a call on a chain of its own, waits for a client of one’s own, and ends all that it started',
  async () => {
    const command = startProgram(PROGRAMS.tryPayment, ['--stay'], {});
    const [, url = '', body = ''] = await command.printed(/^your call .*?(http\S+) .* -d '(.+)'$/m);
    const paid = /^answered +200, paid by 0x[0-9a-fA-F]{40} in 0x[0-9a-f]{64}$/m;
    expect(command.stdout()).toMatch(paid);
    const left = [...command.stdout().matchAll(/^(payer|receiver) +\$([\d.]+)$/gm)];
    expect(left.map(([, who, dollars]) => [who, dollars])).toEqual([
      ['payer', '0.90'],
      ['receiver', '0.10'],
    ]);

    const send = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
    expect((await fetch(url, send)).status).toBe(402);
    const [, key = ''] = await command.printed(/^your wallet .*private key (0x[0-9a-f]{64})$/m);
    const account = privateKeyToAccount(key as `0x${string}`);
    const again = await payingFetch(evmClient(account))(url, send);
    expect(again.status).toBe(200);
    const { success, payer } = receiptOf(again);
    expect({ success, payer: payer?.toLowerCase() }).toEqual({
      success: true,
      payer: account.address.toLowerCase(),
    });

    const started = command.descendants();
    expect(started.length).toBeGreaterThanOrEqual(3);
    command.process.kill('SIGINT');
    expect(await command.ended).toEqual({ code: 0, signal: null });
    await expectEnded(started);
  },
  TIMEOUT_MS,
);
