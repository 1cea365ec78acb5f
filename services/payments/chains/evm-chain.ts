import {
  createPublicClient,
  type Hex,
  http,
  isAddressEqual,
  type Log,
  type PublicClient,
  parseAbi,
  parseEventLogs,
} from 'viem';
import { loginHeaders, splitLogin } from '../../platform/login.ts';
import { readAuthorization } from '../offer/read-payment.ts';
import type { ChainAnswer, PaymentChain } from './payment-chain.ts';

const EIP3009 = parseAbi([
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
]);
const [, USED, CANCELED, TRANSFER] = EIP3009;
/** Clock differences, and how late a transaction may follow its block's time. */
const MARGIN_SECONDS = 120n;
/** Nodes refuse logs of too many blocks at once. */
const BLOCKS_A_QUESTION = 2_000n;
const TIMEOUT_MS = 10_000;

/** Asks an EVM node what became of an EIP-3009 authorisation. */
export const createEvmChain = (rpcUrl: string): PaymentChain => {
  const { url, login } = splitLogin(rpcUrl);
  const fetchOptions = { headers: loginHeaders(login) };
  const client = createPublicClient({
    transport: http(url.href, { timeout: TIMEOUT_MS, retryCount: 1, fetchOptions }),
  });
  return {
    look: async (payment, sinceUnixMs) => {
      const { from, nonce, validBefore } = readAuthorization(payment.payload);
      const { asset, payTo, amount } = payment.requirements;
      const token = { address: asset as Hex };
      const args = [from as Hex, nonce as Hex] as const;
      // All answers must be for one block: nodes behind one address may differ, and a lagging node proves nothing.
      const { number: head, timestamp } = await client.getBlock({ blockTag: 'latest' });
      const isUsed = await client.readContract({
        ...token,
        abi: EIP3009,
        functionName: 'authorizationState',
        args,
        blockNumber: head,
      });
      if (isUsed) {
        const [authorizer, used] = args;
        const transfer = { from: authorizer, to: payTo as Hex, value: BigInt(amount) };
        return findEnd(client, { token, authorizer, nonce: used, transfer, head, sinceUnixMs });
      }
      return timestamp >= BigInt(validBefore)
        ? { status: 'cannot_move', reason: 'payment_expired' }
        : { status: 'not_moved' };
    },
    confirm: async ({ payload, requirements }, transaction) => {
      const { from, nonce } = readAuthorization(payload);
      const { asset, payTo, amount } = requirements;
      const { status, logs } = await client.getTransactionReceipt({ hash: transaction as Hex });
      if (status !== 'success') return false;
      const events = parseEventLogs({ abi: [USED, TRANSFER], logs }).filter(({ address }) =>
        isAddressEqual(address, asset as Hex),
      );
      const used = events.find(
        (event) =>
          event.eventName === 'AuthorizationUsed' &&
          isAddressEqual(event.args.authorizer, from as Hex) &&
          event.args.nonce === nonce,
      );
      return events.some(
        (event) =>
          event.eventName === 'Transfer' &&
          event.logIndex === (used?.logIndex ?? Number.NaN) + 1 &&
          isAddressEqual(event.args.from, from as Hex) &&
          isAddressEqual(event.args.to, payTo as Hex) &&
          event.args.value === BigInt(amount),
      );
    },
    isContract: async (payer) => (await client.getCode({ address: payer as Hex })) !== undefined,
  };
};

type Search = {
  readonly token: { readonly address: Hex };
  readonly authorizer: Hex;
  readonly nonce: Hex;
  /** The transfer that the payment must bring us. */
  readonly transfer: { readonly from: Hex; readonly to: Hex; readonly value: bigint };
  readonly head: bigint;
  readonly sinceUnixMs: number;
};

const USED_OTHERWISE: ChainAnswer = { status: 'cannot_move', reason: 'payment_already_used' };

const findEnd = async (client: PublicClient, search: Search): Promise<ChainAnswer> => {
  const { token, authorizer, nonce, head, sinceUnixMs } = search;
  const first = await firstBlockAfter(client, head, BigInt(Math.floor(sinceUnixMs / 1_000)) - MARGIN_SECONDS);
  for (let fromBlock = first; fromBlock <= head; fromBlock += BLOCKS_A_QUESTION) {
    const last = fromBlock + BLOCKS_A_QUESTION - 1n;
    const toBlock = last < head ? last : head;
    const range = { ...token, args: { authorizer, nonce }, fromBlock, toBlock };
    const [used] = await client.getLogs({ ...range, event: USED });
    if (used)
      return (await hasPaid(client, search, used))
        ? { status: 'moved', transaction: used.transactionHash }
        : USED_OTHERWISE;
    const [canceled] = await client.getLogs({ ...range, event: CANCELED });
    if (canceled) return USED_OTHERWISE;
  }
  throw new Error('the authorisation is used, but the transaction that used it was not found');
};

/**
 * A payer may sign several authorisations with one nonce. Only the transfer shows which one was used. The token
 * logs it directly after the use, so in a batch one transfer never counts for two.
 */
const hasPaid = async (
  client: PublicClient,
  { token, transfer: { from, to, value } }: Search,
  used: Log<bigint, number, false>,
): Promise<boolean> => {
  const { blockHash, logIndex } = used;
  const transfers = await client.getLogs({ ...token, event: TRANSFER, args: { from, to }, blockHash });
  return transfers.some((one) => one.logIndex === logIndex + 1 && one.args.value === value);
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
