import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { base58 } from '@scure/base';
import { expect, onTestFinished } from 'vitest';
import { openAccountCodec } from '../accounts/account-codec.ts';
import { startAccounts } from '../accounts/accounts.ts';
import { createAskContractWallet } from '../accounts/ask-contract-wallet.ts';
import { startSessions } from '../accounts/sessions.ts';
import { createChallenges } from '../accounts/sign-in-message.ts';
import { openLocalRegistry } from '../platform/avro/local-registry.ts';
import { openEmbeddedLog } from '../platform/event-log/embedded/open-embedded-log.ts';
import { TOPICS } from '../platform/event-log/topics.ts';
import { isOpen } from '../roles/billing/run-billing.ts';
import { evmWallet, type Wallet } from './evm/evm-wallet.ts';
import { createMemoryLedger } from './memory/memory-ledger.ts';
import { startApi } from './start-api.ts';
import { temporaryFolder } from './temporary-folder.ts';

const SECRET = Buffer.alloc(32, 7);
export const MINUTE_MS = 60_000;

type AccountSetting = {
  readonly isDamaged?: boolean;
  readonly beginsOpen?: boolean;
  /** A node of the chain where wallets that are contracts are. */
  readonly rpcUrl?: string | null;
  /** Where it listens; any free port without it. */
  readonly port?: number;
};

/**
 * One API process on the log of a folder, with the account area at an address. `isDamaged`: the log cannot be read.
 * `beginsOpen`: calls need no key before the first account.
 */
export const openAccountService = async (
  folder = temporaryFolder(),
  address = 'https://spoor.example',
  { isDamaged = false, beginsOpen = false, rpcUrl = null, port = 0 }: AccountSetting = {},
) => {
  let passedMs = 0;
  const clock = { nowUnixMs: () => Date.now() + passedMs };
  const log = await openEmbeddedLog({
    folder,
    topics: TOPICS,
    maxQueuedBytes: 1 << 20,
    maxRecordBytes: 1 << 20,
  });
  const registry = openLocalRegistry(`${folder}/schemas.json`);
  const errors: unknown[] = [];
  const shared = { log, clock, onError: (error: unknown) => void errors.push(error) };
  const accounts = await startAccounts({ ...shared, codec: await openAccountCodec(registry) });
  const sessions = await startSessions({ ...shared, registry });
  const origin = new URL(address);
  const { directory } = accounts;
  const ledger = createMemoryLedger(clock);
  const begun = { accounts, ledger, stop: async () => {} };
  const api = await startApi(
    {
      clock,
      billing: { ledger, directory, isOpen: () => beginsOpen && isOpen(begun, null) },
      accountArea: {
        ...{ accounts, sessions, challenges: createChallenges(origin, SECRET), origin },
        askContractWallet: rpcUrl === null ? null : createAskContractWallet(rpcUrl),
      },
    },
    { port },
  );
  onTestFinished(async () => {
    await api.close({ graceMs: 0 });
    await Promise.all([accounts.stop(), sessions.stop()]);
    await log.close();
    if (!isDamaged) expect(errors).toEqual([]);
  });
  const ask = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const response = await fetch(api.url + path, {
      method,
      headers: { ...(body ? { 'content-type': 'application/json' } : {}), ...headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) };
  };
  return {
    ask,
    log,
    ledger,
    accounts,
    directory,
    pass: (ms: number) => {
      passedMs += ms;
    },
    challenge: async (wallet: string, headers: Record<string, string> = {}): Promise<string> =>
      (await ask('POST', '/account/challenge', { address: wallet }, headers)).body.message,
  };
};
export type AccountService = Awaited<ReturnType<typeof openAccountService>>;

export const solanaWallet = (): Wallet => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const bytes = (key: KeyObject): Buffer => Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url');
  return {
    address: base58.encode(bytes(publicKey)),
    sign: async (message: string) => base58.encode(sign(null, Buffer.from(message), privateKey)),
  };
};

/** `headers` of a proxy may name the address that it comes from. */
export const signIn = async (
  service: AccountService,
  wallet = evmWallet(),
  headers: Record<string, string> = {},
) => {
  const message = await service.challenge(wallet.address, headers);
  const signed = { message, signature: await wallet.sign(message) };
  const response = await service.ask('POST', '/account/session', signed, headers);
  const cookie = (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  return { ...response, signed, cookie: { cookie } };
};
