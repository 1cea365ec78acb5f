import {
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  hashMessage,
  hashTypedData,
  keccak256,
  parseAbi,
  type TypedDataDefinition,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { serializeErc6492Signature } from 'viem/utils';
import { compileSolidity } from './compile-solidity.ts';
import type { Anvil } from './start-anvil.ts';

export const FACTORY = '0x00000000000000000000000000000000000f4c70';
const ABI = parseAbi([
  'function create(address owner)',
  'function addressOf(address owner) view returns (address)',
]);

/** A wallet that is a contract. */
export type SmartWallet = {
  readonly address: Hex;
  /** Until then its signatures carry its factory (ERC-6492). */
  deploy(): Promise<void>;
  sign(message: string): Promise<Hex>;
  signTypedData(data: TypedDataDefinition): Promise<Hex>;
};

/** A wallet of a new owner, not deployed yet. */
export const createSmartWallet = async (node: Anvil): Promise<SmartWallet> => {
  await node.ask('anvil_setCode', FACTORY, compileSolidity('./smart-wallet.sol')('SmartWalletFactory'));
  const owner = privateKeyToAccount(generatePrivateKey());
  const call = (functionName: 'create' | 'addressOf') =>
    encodeFunctionData({ abi: ABI, functionName, args: [owner.address] });
  const found = await node.ask('eth_call', { to: FACTORY, data: call('addressOf') }, 'latest');
  const address: Hex = `0x${(found as string).slice(-40)}`;
  let isDeployed = false;

  const signHash = async (hash: Hex): Promise<Hex> => {
    const own = keccak256(encodeAbiParameters([{ type: 'bytes32' }, { type: 'address' }], [hash, address]));
    const signature = encodeAbiParameters(
      [{ type: 'uint256' }, { type: 'bytes' }],
      [0n, await owner.sign({ hash: own })],
    );
    return isDeployed
      ? signature
      : serializeErc6492Signature({ address: FACTORY, data: call('create'), signature });
  };
  return {
    address,
    deploy: async () => {
      const [from] = await node.accounts();
      await node.send({ from, to: FACTORY, data: call('create') });
      isDeployed = true;
    },
    sign: (message) => signHash(hashMessage(message)),
    signTypedData: (data) => signHash(hashTypedData(data)),
  };
};
