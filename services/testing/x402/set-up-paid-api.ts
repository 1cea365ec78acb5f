import type { PrivateKeyAccount } from 'viem';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import {
  type EvmWorld,
  openPaidApi,
  type PaidApi,
  type PaidWorld,
  SECOND_ADDRESS,
  startEvmWorld,
  WALLET_ADDRESS,
} from './paid-world.ts';
import { evmClient, offerOf, type Signed, signPayment } from './pay-api.ts';

/** What `/follow` costs, in raw USDC. */
export const PRICE = 100_000n;

type FollowBody = { readonly address: string; readonly chain: string; readonly since: number };

type PaidTest<World> = {
  readonly world: World;
  readonly api: PaidApi;
  readonly body: FollowBody;
  /** The same of another wallet. */
  readonly otherBody: FollowBody;
};

/**
 * Opens a world and an API that takes payments in it, for all tests of the file that calls this. Each test asks something
 * else: an answer that one left unpaid is no other's.
 */
export const setUpPaidApi = <World extends PaidWorld>(
  startWorld: () => Promise<World>,
): (() => PaidTest<World>) => {
  let opened: { readonly world: World; readonly api: PaidApi } | null = null;
  let since = 0;
  beforeAll(async () => {
    const world = await startWorld();
    opened = { world, api: await openPaidApi(world) };
  });
  afterAll(async () => {
    await opened?.api[Symbol.asyncDispose]();
    await opened?.world.stop();
  });
  beforeEach(() => {
    opened?.api.reset();
    since += 1;
  });
  return () => {
    if (opened === null) throw new Error('only a test can pay');
    const body = { address: WALLET_ADDRESS, chain: 'ethereum', since };
    return { ...opened, body, otherBody: { ...body, address: SECOND_ADDRESS } };
  };
};

type EvmPaidTest = PaidTest<EvmWorld> & {
  /** Signs what `/follow` asks for this request, or for the test's own; nothing is sent. */
  sign(at: PaidApi, payer: PrivateKeyAccount, request?: object): Promise<Signed>;
  balances(payer: PrivateKeyAccount): Promise<{ payer: bigint; us: bigint }>;
};

/** On a chain of its own. */
export const setUpEvmPayments = (): (() => EvmPaidTest) => {
  const current = setUpPaidApi(startEvmWorld);
  return () => {
    const paid = current();
    const { chain, payTo } = paid.world;
    return {
      ...paid,
      sign: async (at, payer, request = paid.body) =>
        signPayment(evmClient(payer), offerOf(await at.post('/follow', request))),
      balances: async (payer) => ({
        payer: await chain.balance(payer.address),
        us: await chain.balance(payTo),
      }),
    };
  };
};
