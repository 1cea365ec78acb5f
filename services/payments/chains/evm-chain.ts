import { createPublicClient, type Hex, http, type PublicClient, parseAbi } from 'viem';
import { readAuthorization } from '../read-payment.ts';
import type { ChainAnswer, PaymentChain } from './payment-chain.ts';

const EIP3009 = parseAbi([
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
]);
const [, USED, CANCELED] = EIP3009;
/** Clocks apart, and how late a transaction may be after its block's time. */
const MARGIN_SECONDS = 120n;
/** Nodes refuse logs of too many blocks at once. */
const BLOCKS_A_QUESTION = 2_000n;
const TIMEOUT_MS = 10_000;

/** Asks an EVM node what became of an EIP-3009 authorisation. */
export const createEvmChain = (rpcUrl: string): PaymentChain => {
  const client = createPublicClient({ transport: http(rpcUrl, { timeout: TIMEOUT_MS, retryCount: 1 }) });
  return {
    look: async (payment, sinceUnixMs) => {
      const { from, nonce, validBefore } = readAuthorization(payment.payload);
      const asset = payment.requirements.asset as Hex;
      const args = [from as Hex, nonce as Hex] as const;
      // All at one block: nodes behind one address may be at different ones, and what one has not seen yet is no answer.
      const { number: head, timestamp } = await client.getBlock({ blockTag: 'latest' });
      const isUsed = await client.readContract({
        address: asset,
        abi: EIP3009,
        functionName: 'authorizationState',
        args,
        blockNumber: head,
      });
      if (isUsed) return findEnd(client, asset, { args, head, sinceUnixMs });
      return timestamp >= BigInt(validBefore)
        ? { status: 'cannot_move', reason: 'payment_expired' }
        : { status: 'not_moved' };
    },
  };
};

type Search = { readonly args: readonly [Hex, Hex]; readonly head: bigint; readonly sinceUnixMs: number };

/** A used authorisation has moved exactly what it says, to whom it says; a cancelled one looks used too. */
const findEnd = async (client: PublicClient, asset: Hex, search: Search): Promise<ChainAnswer> => {
  const { args, head, sinceUnixMs } = search;
  const [authorizer, nonce] = args;
  const first = await firstBlockAfter(client, head, BigInt(Math.floor(sinceUnixMs / 1_000)) - MARGIN_SECONDS);
  for (let fromBlock = first; fromBlock <= head; fromBlock += BLOCKS_A_QUESTION) {
    const last = fromBlock + BLOCKS_A_QUESTION - 1n;
    const range = {
      address: asset,
      args: { authorizer, nonce },
      fromBlock,
      toBlock: last < head ? last : head,
    };
    const [used] = await client.getLogs({ ...range, event: USED });
    if (used) return { status: 'moved', transaction: used.transactionHash };
    const [canceled] = await client.getLogs({ ...range, event: CANCELED });
    if (canceled) return { status: 'cannot_move', reason: 'payment_already_used' };
  }
  throw new Error('the authorisation is used, and nothing was found that used it');
};

const firstBlockAfter = async (client: PublicClient, head: bigint, unixSeconds: bigint): Promise<bigint> => {
  let low = 0n;
  let high = head;
  while (low < high) {
    const middle = (low + high) / 2n;
    const { timestamp } = await client.getBlock({ blockNumber: middle });
    if (timestamp < unixSeconds) low = middle + 1n;
    else high = middle;
  }
  return low;
};
