import {
  BaseError,
  createPublicClient,
  ExecutionRevertedError,
  encodeDeployData,
  erc6492SignatureValidatorAbi,
  erc6492SignatureValidatorByteCode,
  type Hex,
  hashMessage,
  http,
} from 'viem';
import { loginHeaders, splitLogin } from '../platform/login.ts';

/**
 * Whether a wallet that is a contract accepts the signature of a message (ERC-1271), also before it is deployed
 * (ERC-6492). Throws if the node does not answer.
 */
export type AskContractWallet = (address: string, message: string, signature: string) => Promise<boolean>;

const TIMEOUT_MS = 10_000;
const YES = 1n;

/** By one `eth_call` of the code that ERC-6492 publishes for this. Nothing is deployed. */
export const createAskContractWallet = (rpcUrl: string): AskContractWallet => {
  const { url, login } = splitLogin(rpcUrl);
  const fetchOptions = { headers: loginHeaders(login) };
  const client = createPublicClient({
    transport: http(url.href, { timeout: TIMEOUT_MS, retryCount: 1, fetchOptions }),
  });
  return async (address, message, signature) => {
    const data = encodeDeployData({
      abi: erc6492SignatureValidatorAbi,
      bytecode: erc6492SignatureValidatorByteCode,
      args: [address as Hex, hashMessage(message), signature as Hex],
    });
    try {
      const { data: answer = '0x' } = await client.call({ data });
      return answer !== '0x' && BigInt(answer) === YES;
    } catch (error) {
      // The wallet, or its factory, refuses by reverting. Any other error is the node's.
      if (error instanceof BaseError && error.walk((cause) => cause instanceof ExecutionRevertedError))
        return false;
      throw error;
    }
  };
};
