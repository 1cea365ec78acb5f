import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openAccountCodec } from '../../accounts/account-codec.ts';
import { startAccounts } from '../../accounts/accounts.ts';
import { Directory } from '../../accounts/directory.ts';
import { startSessions } from '../../accounts/sessions.ts';
import { createChallenges } from '../../accounts/sign-in-message.ts';
import type { Ledger } from '../../credits/ledger.ts';
import type { TransferReader } from '../../investigate/model/transfer-reader.ts';
import type { PaymentLimits } from '../../payments/limits.ts';
import { startPayments } from '../../payments/start-payments.ts';
import type { SchemaRegistry } from '../../platform/avro/schema-registry.ts';
import { systemClock } from '../../platform/clock.ts';
import type { PaymentNetwork } from '../../platform/config/x402.ts';
import type { EventLog } from '../../platform/event-log/event-log.ts';
import { openStore, type Store } from '../../roles/store/open-store.ts';
import { move, tellStory } from '../chain-story.ts';
import { EVM_NETWORK, type PaymentChain, startPaymentChain } from '../evm/payment-chain.ts';
import { FACTORY } from '../evm/smart-wallet.ts';
import { createMemoryLedger } from '../memory/memory-ledger.ts';
import { createMemoryReader } from '../memory-reader.ts';
import { type PaymentBank, SOLANA_NETWORK, startPaymentBank } from '../solana/payment-bank.ts';
import { type RunningApi, startApi } from '../start-api.ts';
import { type Facilitator, startFacilitator } from './start-facilitator.ts';

/** What APIs that take payments stand on: chains, a facilitator, and a folder where their event log lies. */
export type PaidWorld = {
  readonly facilitator: Facilitator;
  readonly networks: readonly PaymentNetwork[];
  readonly folder: string;
  stop(): Promise<void>;
};
export type EvmWorld = PaidWorld & { readonly chain: PaymentChain; readonly payTo: `0x${string}` };
export type SolanaWorld = PaidWorld & { readonly bank: PaymentBank; readonly payTo: string };

export const WALLET_ADDRESS = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
export const SECOND_ADDRESS = '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359';
export const NOBODY = `0x${'9'.repeat(40)}`;
const STORY = tellStory('ethereum', [
  { time: 1_000, hash: '0xaa', moves: [move(WALLET_ADDRESS, SECOND_ADDRESS, 100n)] },
]);

const EVM_PAY_TO = '0x1111111111111111111111111111111111111111';
const SOLANA_PAY_TO = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin';

const openFolder = (): { folder: string; remove: () => void } => {
  const folder = mkdtempSync(join(tmpdir(), 'spoor-test-'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
};

export const startEvmWorld = async (): Promise<EvmWorld> => {
  const { folder, remove } = openFolder();
  const chain = await startPaymentChain();
  const rpcUrl = chain.node.url;
  const facilitator = await startFacilitator({
    evm: { network: EVM_NETWORK, rpcUrl, key: chain.facilitatorKey, factories: [FACTORY] },
    solana: null,
  });
  return {
    chain,
    facilitator,
    payTo: EVM_PAY_TO,
    networks: [{ network: EVM_NETWORK, payTo: EVM_PAY_TO, rpcUrl }],
    folder,
    stop: async () => {
      await facilitator.stop();
      await chain.node.stop();
      remove();
    },
  };
};

/** Base is offered here too, and has no chain. */
export const startSolanaWorld = async (): Promise<SolanaWorld> => {
  const { folder, remove } = openFolder();
  const bank = await startPaymentBank();
  await bank.openAccount(SOLANA_PAY_TO, 0n);
  const { rpcUrl, facilitatorKey } = bank;
  const nowhere = 'http://127.0.0.1:1';
  const facilitator = await startFacilitator({
    evm: { network: EVM_NETWORK, rpcUrl: nowhere, key: `0x${'1'.repeat(64)}` },
    solana: { network: SOLANA_NETWORK, rpcUrl, key: facilitatorKey },
  });
  return {
    bank,
    facilitator,
    payTo: SOLANA_PAY_TO,
    networks: [
      { network: SOLANA_NETWORK, payTo: SOLANA_PAY_TO, rpcUrl },
      { network: EVM_NETWORK, payTo: EVM_PAY_TO, rpcUrl: nowhere },
    ],
    folder,
    stop: async () => {
      await facilitator.stop();
      await bank.stop();
      remove();
    },
  };
};

export type PaidApi = Omit<RunningApi, 'log'> & {
  /** How often the work was done here since `reset`. */
  worked(): number;
  /** Runs before each piece of work from now on: waits, or throws. */
  beforeWork(hook: () => Promise<void>): void;
  reset(): void;
  readonly errors: readonly unknown[];
  readonly log: EventLog;
  readonly registry: SchemaRegistry;
};

type Setting = {
  /** Of the ledger that counts the calls of a wallet. */
  readonly ledger?: Ledger;
  readonly limits?: Partial<PaymentLimits>;
  /** With the account area; its address is https://spoor.example. */
  readonly signsIn?: boolean;
};

const openArea = async ({ log, registry }: Store, onError: (error: unknown) => void) => {
  const shared = { log, clock: systemClock, onError };
  const accounts = await startAccounts({ ...shared, codec: await openAccountCodec(registry) });
  const sessions = await startSessions({ ...shared, registry });
  const origin = new URL('https://spoor.example');
  const stop = async (): Promise<void> => {
    await Promise.all([accounts.stop(), sessions.stop()]);
  };
  return {
    accounts,
    sessions,
    challenges: createChallenges(origin, Buffer.alloc(32, 7)),
    origin,
    askContractWallet: null,
    stop,
  };
};

/** An API process as it would be: its own log, its own view of the payments, its own facilitator client. */
export const openPaidApi = async (
  world: PaidWorld,
  { ledger = createMemoryLedger(systemClock), limits = {}, signsIn = false }: Setting = {},
): Promise<PaidApi> => {
  const store = await openStore({ dataFolder: world.folder, name: 'chain', maxQueuedBytes: 4 << 20 });
  const { log, registry } = store;
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  const payments = await startPayments({
    log,
    registry,
    x402: { facilitatorUrl: world.facilitator.url, networks: world.networks },
    secret: Buffer.alloc(32, 7),
    clock: systemClock,
    giveCredits: async ({ accountId, credits }, paymentKey) => {
      await ledger.submit(`account:${accountId}`, { type: 'AddCredits', id: paymentKey, credits });
    },
    onError,
    limits,
  });
  let worked = 0;
  let beforeWork = async (): Promise<void> => {};
  const memory = createMemoryReader(STORY);
  const reader: TransferReader = {
    ...memory,
    // The first question of every trail, asked once.
    assetsSent: async (request) => {
      worked += 1;
      await beforeWork();
      return memory.assetsSent(request);
    },
  };
  const area = signsIn ? await openArea(store, onError) : null;
  const directory = area?.accounts.directory ?? new Directory();
  const billing = { ledger, directory, isOpen: () => false, payments };
  const api = await startApi({ reader, clock: systemClock, billing, accountArea: area });
  return {
    ...api,
    errors,
    log,
    registry,
    worked: () => worked,
    beforeWork: (hook) => {
      beforeWork = hook;
    },
    reset: () => {
      worked = 0;
      beforeWork = async () => {};
    },
    [Symbol.asyncDispose]: async () => {
      await api.close({ graceMs: 0 });
      await payments.stop();
      await area?.stop();
      await store.close();
    },
  };
};

/** Work that waits until it is let go. */
export const closeGate = (api: PaidApi): { open: () => void } => {
  const { promise, resolve } = Promise.withResolvers<void>();
  api.beforeWork(() => promise);
  return { open: resolve };
};
