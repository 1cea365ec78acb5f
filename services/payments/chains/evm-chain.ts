import { createPublicClient, type Hex, http, type PublicClient, parseAbi } from 'viem';
import type { SignedPayment } from '../facilitator.ts';
import { readAuthorization } from '../read-payment.ts';
import type { ChainAnswer, PaymentChain } from './payment-chain.ts';

const EIP3009 = parseAbi([
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
]);
const [, USED] = EIP3009;
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
      // The head first: an authorisation unused at a head behind its end was never used.
      const head = await client.getBlock({ blockTag: 'latest' });
      const isUsed = await client.readContract({
        address: asset,
        abi: EIP3009,
        functionName: 'authorizationState',
        args,
      });
      if (!isUsed)
        return head.timestamp >= BigInt(validBefore)
          ? { status: 'cannot_move', reason: 'payment_expired' }
          : { status: 'not_moved' };
      return findUse(client, payment, { from: args[0], nonce: args[1], sinceUnixMs });
    },
  };
};

/** A used authorisation has moved exactly what it says, to whom it says; a cancelled one looks used and has no such event. */
const findUse = async (
  client: PublicClient,
  { requirements }: SignedPayment,
  { from, nonce, sinceUnixMs }: { from: Hex; nonce: Hex; sinceUnixMs: number },
): Promise<ChainAnswer> => {
  const head = await client.getBlockNumber();
  const first = await firstBlockAfter(client, head, BigInt(Math.floor(sinceUnixMs / 1_000)) - MARGIN_SECONDS);
  for (let fromBlock = first; fromBlock <= head; fromBlock += BLOCKS_A_QUESTION) {
    const last = fromBlock + BLOCKS_A_QUESTION - 1n;
    const [found] = await client.getLogs({
      address: requirements.asset as Hex,
      event: USED,
      args: { authorizer: from, nonce },
      fromBlock,
      toBlock: last < head ? last : head,
    });
    if (found) return { status: 'moved', transaction: found.transactionHash };
  }
  return { status: 'cannot_move', reason: 'payment_already_used' };
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
