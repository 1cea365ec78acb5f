/**
 * `npm run -s try-payment [-- --stay]`: pays for one call by x402 on a local chain, whose dollars are worth nothing. The
 * facilitator and the client are the official ones. `--stay` keeps everything running, to pay with a client of your own.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createWorld } from '../services/demo-world/create-world.ts';
import { writeBlockFiles } from '../services/demo-world/write-block-files.ts';
import { freePort } from '../services/platform/free-port.ts';
import { EVM_NETWORK, startPaymentChain } from '../services/testing/evm/payment-chain.ts';
import { PROGRAMS, runProgram, startProgram } from '../services/testing/run-program.ts';
import { urlOf } from '../services/testing/service/running-service.ts';
import { evmClient, payingFetch, receiptOf } from '../services/testing/x402/pay-api.ts';
import { startFacilitator } from '../services/testing/x402/start-facilitator.ts';

const PAY_TO = '0x1111111111111111111111111111111111111111';
const DOLLAR = 1_000_000n;
/** What the paid call asks about: a day of few people, read in within seconds. */
const WORLD = { seed: 1, people: 12, days: 1, blockSeconds: 1_800 };
const ATTEMPTS_MAX = 30;

const say = (name: string, text: string): void => void process.stdout.write(`${name.padEnd(12)} ${text}\n`);
const dollars = (micros: bigint): string => `$${(Number(micros) / Number(DOLLAR)).toFixed(2)}`;

const folder = mkdtempSync(join(tmpdir(), 'spoor-payment-'));
const blocks = join(folder, 'blocks');
writeBlockFiles(blocks, WORLD);
const data = { SPOOR_DATA: join(folder, 'data') };
const replayed = await runProgram(PROGRAMS.cli, ['replay', '--json', blocks], data);
if (replayed.code !== 0) throw new Error(replayed.stderr);
const chain = await startPaymentChain();
const rpcUrl = chain.node.url;
const facilitator = await startFacilitator({
  evm: { network: EVM_NETWORK, rpcUrl, key: chain.facilitatorKey },
  solana: null,
});
const key = `0x${randomBytes(32).toString('hex')}` as const;
const payer = await chain.createPayer(DOLLAR, key);
const server = startProgram(PROGRAMS.server, [], {
  ...data,
  SPOOR_PORT: String(await freePort()),
  SPOOR_OPERATIONS_PORT: String(await freePort()),
  X402_FACILITATOR_URL: facilitator.url,
  X402_PAY_TO: `${EVM_NETWORK}=${PAY_TO}`,
  X402_RPC_URLS: `${EVM_NETWORK}=${rpcUrl}`,
});
const end = async (): Promise<void> => {
  server.process.kill('SIGTERM');
  await server.ended;
  await facilitator.stop();
  await chain.node.stop();
  rmSync(folder, { recursive: true, force: true });
};

/** An answer that costs nothing, because the server has just started, is asked for again. */
const pay = async (url: string, body: string): Promise<Response> => {
  for (let attempt = 1; ; attempt++) {
    const headers = { 'content-type': 'application/json' };
    const response = await payingFetch(evmClient(payer))(url, { method: 'POST', headers, body });
    if (response.headers.has('payment-response')) return response;
    const text = await response.text();
    if (attempt === ATTEMPTS_MAX) throw new Error(`not paid: ${response.status} ${text}`);
    await sleep(1_000);
  }
};

try {
  say('chain', `${rpcUrl} (${EVM_NETWORK}, on this machine)`);
  say('facilitator', facilitator.url);
  const [example] = createWorld(WORLD).examples();
  const url = `${await urlOf(server)}/follow`;
  const body = JSON.stringify({ address: example?.start, chain: example?.chain, since: example?.since });
  say('server', url);
  const paid = await pay(url, body);
  const { payer: by, transaction } = receiptOf(paid);
  say('answered', `${paid.status}, paid by ${by} in ${transaction}`);
  say('payer', dollars(await chain.balance(payer.address)));
  say('receiver', dollars(await chain.balance(PAY_TO)));
  if (process.argv.includes('--stay')) {
    say('your wallet', `${payer.address}, private key ${key}`);
    say('your call', `curl -si ${url} -H 'content-type: application/json' -d '${body}'`);
    await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  }
} finally {
  await end();
}
