import { randomBytes } from 'node:crypto';
import { encodeFunctionData, type Hex, parseAbi, parseSignature } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { compileSolidity } from './compile-solidity.ts';
import { type Anvil, startAnvil } from './start-anvil.ts';

export const EVM_NETWORK = 'eip155:8453';
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const MULTICALL = '0xcA11bde05977b3631167028862bE2a173976CA11';
const CHAIN_ID = 8453;

const TOKEN = parseAbi([
  'function mint(address to, uint256 value)',
  'function transfer(address to, uint256 value)',
  'function balanceOf(address) view returns (uint256)',
  'function cancelAuthorization(address from, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'function tryAggregate(bool requireSuccess, (address target, bytes callData)[] calls)',
]);
const DOMAIN = { name: 'USD Coin', version: '2', chainId: CHAIN_ID, verifyingContract: USDC } as const;

/** What one payer authorises to one receiver, once. */
export type Authorization = {
  readonly payer: PrivateKeyAccount;
  readonly to: Hex;
  readonly value: bigint;
  readonly nonce: Hex;
};

/** An EVM chain where payments can be settled. */
export type PaymentChain = {
  readonly node: Anvil;
  /** Holds ether, for the facilitator's fees. */
  readonly facilitatorKey: Hex;
  /** A new wallet with so many millionths of a dollar, and nothing else. */
  createPayer(usdMicros: bigint, key?: Hex): Promise<PrivateKeyAccount>;
  /** Gives any address so many millionths of a dollar. */
  mint(to: Hex, usdMicros: bigint): Promise<void>;
  balance(address: string): Promise<bigint>;
  /** What the payer does behind our back: all of its dollars are somewhere else. */
  emptyWallet(payer: PrivateKeyAccount): Promise<void>;
  /** The payer's signed authorisation can never be used from now on. */
  cancel(payer: PrivateKeyAccount, nonce: Hex): Promise<void>;
  /** Puts authorisations on chain, as anybody may: all in one transaction, ahead of those that wait. */
  land(...authorizations: readonly Authorization[]): Promise<void>;
};

/** A real node with Base's chain id, our token where the real USDC lies, and the contract that facilitators ask in bulk. */
export const startPaymentChain = async (): Promise<PaymentChain> => {
  const node = await startAnvil('--chain-id', String(CHAIN_ID));
  const codeOf = compileSolidity('./payment-token.sol');
  await node.ask('anvil_setCode', USDC, codeOf('PaymentToken'));
  await node.ask('anvil_setCode', MULTICALL, codeOf('Multicall'));
  const facilitatorKey = generatePrivateKey();
  const { address } = privateKeyToAccount(facilitatorKey);
  await node.ask('anvil_setBalance', address, '0x8ac7230489e80000');
  const [miner = ''] = await node.accounts();

  const send = (from: string, data: Hex) => node.send({ from, to: USDC, data });
  const mint = (to: Hex, usdMicros: bigint) =>
    send(miner, encodeFunctionData({ abi: TOKEN, functionName: 'mint', args: [to, usdMicros] }));
  const balance = async (owner: string): Promise<bigint> => {
    const data = encodeFunctionData({ abi: TOKEN, functionName: 'balanceOf', args: [owner as Hex] });
    return BigInt((await node.ask('eth_call', { to: USDC, data }, 'latest')) as string);
  };
  return {
    node,
    facilitatorKey,
    balance,
    mint,
    createPayer: async (usdMicros, key = generatePrivateKey()) => {
      const payer = privateKeyToAccount(key);
      await mint(payer.address, usdMicros);
      return payer;
    },
    emptyWallet: async (payer) => {
      await node.ask('anvil_impersonateAccount', payer.address);
      await node.ask('anvil_setBalance', payer.address, '0x8ac7230489e80000');
      const elsewhere: Hex = `0x${randomBytes(20).toString('hex')}`;
      const args = [elsewhere, await balance(payer.address)] as const;
      await send(payer.address, encodeFunctionData({ abi: TOKEN, functionName: 'transfer', args }));
    },
    cancel: async (payer, nonce) => {
      const signature = await payer.signTypedData({
        domain: DOMAIN,
        types: {
          CancelAuthorization: [
            { name: 'authorizer', type: 'address' },
            { name: 'nonce', type: 'bytes32' },
          ],
        },
        primaryType: 'CancelAuthorization',
        message: { authorizer: payer.address, nonce },
      });
      const args = [payer.address, nonce, ...split(signature)] as const;
      await send(miner, encodeFunctionData({ abi: TOKEN, functionName: 'cancelAuthorization', args }));
    },
    land: async (...authorizations) => {
      const calls = await Promise.all(
        authorizations.map(async (each) => ({ target: USDC, callData: await encodeTransfer(each) }) as const),
      );
      const data = encodeFunctionData({ abi: TOKEN, functionName: 'tryAggregate', args: [true, calls] });
      // Not estimated: what waits would be counted in.
      const ahead = { gas: '0xf4240', maxFeePerGas: '0x174876e800', maxPriorityFeePerGas: '0xba43b7400' };
      await node.ask('eth_sendTransaction', { from: miner, to: MULTICALL, data, ...ahead });
    },
  };
};

const split = (signature: Hex): [v: number, r: Hex, s: Hex] => {
  const { r, s, v = 27n } = parseSignature(signature);
  return [Number(v), r, s];
};

const encodeTransfer = async ({ payer, to, value, nonce }: Authorization): Promise<Hex> => {
  const message = { from: payer.address, to, value, validAfter: 0n, validBefore: 1n << 40n, nonce };
  const signature = await payer.signTypedData({
    domain: DOMAIN,
    types: {
      TransferWithAuthorization: [
        { name: 'from', type: 'address' },
        { name: 'to', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'validAfter', type: 'uint256' },
        { name: 'validBefore', type: 'uint256' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'TransferWithAuthorization',
    message,
  });
  const { from, validAfter, validBefore } = message;
  const args = [from, to, value, validAfter, validBefore, nonce, ...split(signature)] as const;
  return encodeFunctionData({ abi: TOKEN, functionName: 'transferWithAuthorization', args });
};
