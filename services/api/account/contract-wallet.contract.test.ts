import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSmartWallet } from '../../testing/evm/smart-wallet.ts';
import { type Anvil, startAnvil } from '../../testing/evm/start-anvil.ts';
import { openAccountService, signIn } from '../../testing/open-account-service.ts';

describe('a wallet that is a contract', () => {
  let node: Anvil;
  beforeAll(async () => {
    node = await startAnvil();
  });
  afterAll(() => node.stop());
  const open = (rpcUrl: string | null = node.url) => openAccountService(undefined, undefined, { rpcUrl });

  test('signs in through the node of its chain, deployed (ERC-1271) or not yet (ERC-6492), into one account', async () => {
    const service = await open();
    const wallet = await createSmartWallet(node);
    const before = await signIn(service, wallet);
    expect(before).toMatchObject({ status: 200 });
    expect(await node.ask('eth_getCode', wallet.address, 'latest')).toBe('0x');
    await wallet.deploy();
    const after = await signIn(service, wallet);
    expect(after).toMatchObject({ status: 200, body: { account_id: before.body.account_id } });
    expect((await service.ask('GET', '/account', undefined, after.cookie)).status).toBe(200);
  });

  test('is not signed for by others: another wallet’s owner, another message, a factory that makes another wallet', async () => {
    const service = await open();
    const [wallet, other] = [await createSmartWallet(node), await createSmartWallet(node)];
    const sign = async (by: typeof wallet, text?: string) => {
      const message = await service.challenge(wallet.address);
      const signature = await by.sign(text ?? message);
      return (await service.ask('POST', '/account/session', { message, signature })).status;
    };
    expect(await sign(other)).toBe(401);
    expect(await sign(wallet, 'something else')).toBe(401);
    await wallet.deploy();
    await other.deploy();
    expect(await sign(other)).toBe(401);
    expect(await sign(wallet)).toBe(200);
  });

  test('costs its node a few questions a minute from one address when its signatures are wrong', async () => {
    const service = await open();
    const wallet = await createSmartWallet(node);
    const statuses = [];
    for (let tries = 0; tries < 10; tries++) {
      const message = await service.challenge(wallet.address);
      const signed = { message, signature: `0x${'55'.repeat(640)}` };
      statuses.push((await service.ask('POST', '/account/session', signed)).status);
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429, 429, 429, 429]);
  });

  test('is not called wrong while its node does not answer', async () => {
    const service = await open('http://127.0.0.1:1');
    const refused = await signIn(service, await createSmartWallet(node));
    expect(refused).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    expect(JSON.stringify(refused.body)).not.toContain('127.0.0.1');
    expect((await signIn(service)).status).toBe(200);
  });

  test('is told why it cannot sign in where no node of its chain is known', async () => {
    const refused = await signIn(await open(null), await createSmartWallet(node));
    expect(refused.status).toBe(401);
    expect(refused.body.error).toContain('Wallets that are contracts cannot sign in here');
  });
});
