import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { endWithTest } from '../run-program.ts';

export type Anvil = {
  readonly url: string;
  /** Asks the node; throws its error. */
  ask(method: string, ...params: unknown[]): Promise<unknown>;
  /** Has the node sign and send a transaction, and gives control back when its block is there. */
  send(transaction: {
    readonly from?: string | undefined;
    readonly to?: string | undefined;
    readonly value?: bigint | undefined;
    readonly data?: string;
  }): Promise<void>;
  /** Addresses that hold 10,000 ether each and whose transactions the node signs. */
  accounts(): Promise<readonly string[]>;
  stop(): Promise<void>;
};

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/** The binary itself: the script around it would leave it behind when it is killed. */
const findBinary = (): string => {
  const require = createRequire(createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json'));
  const name = `@foundry-rs/anvil-${process.platform}-${ARCHITECTURES[process.arch]}`;
  return require.resolve(`${name}/bin/anvil`);
};

/** A real EVM node on a free port of 127.0.0.1, which makes a block of each transaction. Ends with the test, if there is one. */
export const startAnvil = async (...args: readonly string[]): Promise<Anvil> => {
  const child = spawn(findBinary(), ['--host', '127.0.0.1', '--port', '0', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  endWithTest(stop);
  const port = await new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`anvil ended with ${code} before it listened`)));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const found = /^Listening on 127\.0\.0\.1:(\d+)$/.exec(line)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
  const url = `http://127.0.0.1:${port}`;
  const ask = async (method: string, ...params: unknown[]): Promise<unknown> => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const answer = await (await fetch(url, { method: 'POST', headers, body })).json();
    const { result, error } = answer as { result?: unknown; error?: { message: string } };
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  };
  const send: Anvil['send'] = async ({ value = 0n, ...transaction }) => {
    // The plain call answers before the block is made, and the next one would not see what this one paid.
    await ask('eth_sendTransactionSync', { ...transaction, value: `0x${value.toString(16)}` });
  };
  return { url, ask, send, accounts: async () => (await ask('eth_accounts')) as string[], stop };
};
