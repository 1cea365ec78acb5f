import { privateKeyToAccount } from 'viem/accounts';
import { expect, test } from 'vitest';
import { ALICE, address, decode, hex, type Part } from '../../../testing/evm/small-evm-block.ts';

const wallet = privateKeyToAccount(`0x${'7'.repeat(64)}`);
const HOLDER = wallet.address.toLowerCase();
const CODE = address('9') as `0x${string}`;
const N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

const sign = async (nonce: number, { chainId = 1, code = CODE } = {}) => {
  const signed = await wallet.signAuthorization({ address: code, chainId, nonce });
  const { r, s, yParity = 0 } = signed;
  return { chainId: hex(chainId), address: code, nonce: hex(nonce), yParity: hex(yParity), r, s };
};

const delegated = (authorizationList: unknown[], part: Part = {}) =>
  decode([
    { ...part, tx: { type: '0x4', chainId: '0x1', nonce: '0x6', authorizationList, ...part.tx } },
  ]).controlEvents.map(({ kind, subject, holder, party, byHolder }) => [
    kind,
    subject,
    holder,
    party,
    byHolder,
  ]);

test('a wallet that delegates is found by its signature, whoever sends it, and also where the transaction fails', async () => {
  const events = [['code_delegated', HOLDER, HOLDER, CODE, false]];
  expect(delegated([await sign(3)])).toEqual(events);
  expect(delegated([await sign(3, { chainId: 0 })])).toEqual(events);
  expect(delegated([await sign(3)], { receipt: { status: '0x0' } })).toEqual(events);
  const none = address('0') as `0x${string}`;
  expect(delegated([await sign(4, { code: none })])).toEqual([
    ['code_delegated', HOLDER, HOLDER, null, false],
  ]);
});

test('the sender’s own authorizations count with the nonces that the chain takes, one after the other', async () => {
  const list = [await sign(6), await sign(7), await sign(7), await sign(8)];
  const own = ['code_delegated', HOLDER, HOLDER, CODE, true];
  expect(delegated(list, { tx: { from: HOLDER } })).toEqual([own, own]);
});

test('what was signed for another chain, or by nobody, delegates nothing', async () => {
  const good = await sign(3);
  const list = [
    await sign(3, { chainId: 10 }),
    { ...good, s: hex(N - BigInt(good.s)), yParity: good.yParity === '0x0' ? '0x1' : '0x0' },
    { ...good, r: '0x0' },
    { ...good, r: hex(N) },
    { ...good, r: '0x5' },
    { ...good, yParity: '0x2' },
    { ...good, nonce: hex(2n ** 64n - 1n) },
    { ...good, address: '0x12' },
    { ...good, s: undefined },
    'nonsense',
    null,
  ];
  expect(delegated(list)).toEqual([]);
  // A signature of other words is somebody's, but not the wallet's.
  expect(delegated([{ ...good, nonce: '0x9' }]).flat()).not.toContain(HOLDER);
  expect(delegated(list, { tx: { from: ALICE } })).toEqual([]);
});
