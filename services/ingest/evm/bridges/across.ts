import type { Hex } from 'viem';
import { parseAbiItem } from 'viem/utils';
import { isListed, toCanonicalAsset } from '../../../investigate/model/asset.ts';
import { findChain } from '../../../investigate/model/chain.ts';
import { chainNumbered, numberOfChain, toChainAddress } from '../../bridges/bridge-numbers.ts';
import { acrossMessageId, acrossMessageIdV2, hashMessage, type Relay } from './across-message-id.ts';
import {
  type BridgeContext,
  type BridgeEvent,
  type BridgeReading,
  bridgeEvent,
  type Contracts,
  type EventArgs,
} from './bridge-event.ts';

const UINT256_MAX = 2n ** 256n - 1n;

// https://docs.across.to/reference/contract-addresses
const SPOKE_POOLS: Contracts = {
  ethereum: ['0x5c7bcd6e7de5423a257d81b442095a1a6ced35c5'],
  optimism: ['0x6f26bf09b1c792e3228e5467807a900a503c0281'],
  polygon: ['0x9295ee1d8c5b022be115a2ad3c30c72e34e7f096'],
  arbitrum: ['0xe35e9842fceaca96570b734083f4a58e8f7c5f2a'],
  base: ['0x09aea4b2242abc8bb4bb78d537a67a245a7bec64'],
  bsc: ['0x4e8e101924ede233c13e2d8622dc8aed2872d505'],
};

// Version 2, version 3, and version 3 since it serves chains whose addresses are longer.
const DEPOSITED_V2 = parseAbiItem(
  'event FundsDeposited(uint256 amount, uint256 originChainId, uint256 indexed destinationChainId, int64 relayerFeePct, uint32 indexed depositId, uint32 quoteTimestamp, address originToken, address recipient, address indexed depositor, bytes message)',
);
const DEPOSITED_V3 = parseAbiItem(
  'event V3FundsDeposited(address inputToken, address outputToken, uint256 inputAmount, uint256 outputAmount, uint256 indexed destinationChainId, uint32 indexed depositId, uint32 quoteTimestamp, uint32 fillDeadline, uint32 exclusivityDeadline, address indexed depositor, address recipient, address exclusiveRelayer, bytes message)',
);
const DEPOSITED = parseAbiItem(
  'event FundsDeposited(bytes32 inputToken, bytes32 outputToken, uint256 inputAmount, uint256 outputAmount, uint256 indexed destinationChainId, uint256 indexed depositId, uint32 quoteTimestamp, uint32 fillDeadline, uint32 exclusivityDeadline, bytes32 indexed depositor, bytes32 recipient, bytes32 exclusiveRelayer, bytes message)',
);
const FILLED_V2 = parseAbiItem(
  'event FilledRelay(uint256 amount, uint256 totalFilledAmount, uint256 fillAmount, uint256 repaymentChainId, uint256 indexed originChainId, uint256 destinationChainId, int64 relayerFeePct, int64 realizedLpFeePct, uint32 indexed depositId, address destinationToken, address relayer, address indexed depositor, address recipient, bytes message, (address recipient, bytes message, int64 relayerFeePct, bool isSlowRelay, int256 payoutAdjustmentPct) updatableRelayData)',
);
const FILLED_V3 = parseAbiItem(
  'event FilledV3Relay(address inputToken, address outputToken, uint256 inputAmount, uint256 outputAmount, uint256 repaymentChainId, uint256 indexed originChainId, uint32 indexed depositId, uint32 fillDeadline, uint32 exclusivityDeadline, address exclusiveRelayer, address indexed relayer, address depositor, address recipient, bytes message, (address updatedRecipient, bytes updatedMessage, uint256 updatedOutputAmount, uint8 fillType) relayExecutionInfo)',
);
const FILLED = parseAbiItem(
  'event FilledRelay(bytes32 inputToken, bytes32 outputToken, uint256 inputAmount, uint256 outputAmount, uint256 repaymentChainId, uint256 indexed originChainId, uint256 indexed depositId, uint32 fillDeadline, uint32 exclusivityDeadline, bytes32 exclusiveRelayer, bytes32 indexed relayer, bytes32 depositor, bytes32 recipient, bytes32 messageHash, (bytes32 updatedRecipient, bytes32 updatedMessageHash, uint256 updatedOutputAmount, uint8 fillType) relayExecutionInfo)',
);

type Deposit = {
  readonly messageId: string;
  readonly destinationChainId: bigint;
  readonly depositor: Hex;
  readonly recipient: Hex;
  readonly inputToken: Hex;
  readonly inputAmount: bigint;
};

const toDeposit = (deposit: Deposit, context: BridgeContext, pool: string): BridgeReading => {
  const near = findChain(context.chain);
  const far = chainNumbered('across', deposit.destinationChainId);
  return {
    bridge: 'across',
    side: 'deposit',
    farChain: far?.name ?? null,
    messageId: deposit.messageId,
    from: findPayer(deposit, context, pool),
    to: toChainAddress(far, deposit.recipient),
    asset: toChainAddress(near, deposit.inputToken),
    amountRaw: deposit.inputAmount,
  };
};

/**
 * The depositor. The payer names anybody, so the named party counts only if it sent the transaction, or gave as
 * much to a contract that paid for it. Otherwise it is the payer of the pool; null if no row says. Zero amounts
 * and unlisted tokens count only for the sender.
 */
const findPayer = (deposit: Deposit, context: BridgeContext, pool: string): string | null => {
  const near = findChain(context.chain);
  const named = toChainAddress(near, deposit.depositor);
  const token = toChainAddress(near, deposit.inputToken);
  if (named === context.sender) return named;
  if (near === null || named === null || token === null) return null;
  const canonicalAsset = toCanonicalAsset(near, token);
  const given = context.movements.filter(
    ({ kind, from, asset, amountRaw }) =>
      kind === 'transfer' &&
      toCanonicalAsset(near, asset) === canonicalAsset &&
      amountRaw >= deposit.inputAmount &&
      amountRaw > 0n &&
      (from === context.sender || isListed(near, canonicalAsset)),
  );
  if (given.some(({ from }) => from === named)) return named;
  return given.findLast(({ to }) => to === pool)?.from ?? null;
};

type Fill = {
  readonly messageId: string;
  readonly originChainId: bigint;
  readonly recipient: Hex;
  readonly outputToken: Hex;
  readonly outputAmount: bigint;
};

/** Only the other side knows the depositor. */
const toDelivery = (fill: Fill, chain: string): BridgeReading => {
  const near = findChain(chain);
  const far = chainNumbered('across', fill.originChainId);
  return {
    bridge: 'across',
    side: 'delivery',
    farChain: far?.name ?? null,
    messageId: fill.messageId,
    from: null,
    to: toChainAddress(near, fill.recipient),
    asset: toChainAddress(near, fill.outputToken),
    amountRaw: fill.outputAmount,
  };
};

const toDepositV2 = (
  deposit: EventArgs<typeof DEPOSITED_V2>,
  context: BridgeContext,
  pool: string,
): BridgeReading => {
  const { originToken: token, amount: inputAmount } = deposit;
  const messageId = acrossMessageIdV2({ ...deposit, token }, findChain(context.chain));
  return toDeposit({ ...deposit, messageId, inputToken: token, inputAmount }, context, pool);
};

type DepositedV3 = Omit<Relay, 'originChainId' | 'messageHash'> & {
  readonly message: Hex;
};

const toDepositV3 = (deposit: DepositedV3, context: BridgeContext, pool: string): BridgeReading | null => {
  const originChainId = numberOfChain('across', context.chain);
  if (originChainId === null) return null;
  const far = chainNumbered('across', deposit.destinationChainId);
  const relay = { ...deposit, originChainId, messageHash: hashMessage(deposit.message) };
  const messageId = acrossMessageId(relay, findChain(context.chain), far);
  return toDeposit({ ...deposit, messageId }, context, pool);
};

/** Fees of version 2 are fractions of this. */
const WHOLE = 10n ** 18n;

/** null if no amount is left after the fees, or one above 256 bits. */
const toDeliveryV2 = (fill: EventArgs<typeof FILLED_V2>, { chain }: BridgeContext): BridgeReading | null => {
  const { recipient, relayerFeePct } = fill.updatableRelayData;
  const { destinationToken: token } = fill;
  const messageId = acrossMessageIdV2({ ...fill, token }, findChain(chain));
  const outputAmount = (fill.fillAmount * (WHOLE - fill.realizedLpFeePct - relayerFeePct)) / WHOLE;
  if (outputAmount < 0n || outputAmount > UINT256_MAX) return null;
  return toDelivery({ ...fill, messageId, recipient, outputToken: token, outputAmount }, chain);
};

type FilledV3 = Omit<Relay, 'destinationChainId'> & {
  readonly relayExecutionInfo: { readonly updatedRecipient: Hex; readonly updatedOutputAmount: bigint };
};

/** The depositor may have changed recipient and amount before the fill. */
const toDeliveryV3 = (fill: FilledV3, { chain }: BridgeContext): BridgeReading | null => {
  const destinationChainId = numberOfChain('across', chain);
  if (destinationChainId === null) return null;
  const { updatedRecipient: recipient, updatedOutputAmount: outputAmount } = fill.relayExecutionInfo;
  const origin = chainNumbered('across', fill.originChainId);
  const messageId = acrossMessageId({ ...fill, destinationChainId }, origin, findChain(chain));
  return toDelivery({ ...fill, messageId, recipient, outputAmount }, chain);
};

export const acrossEvents: readonly BridgeEvent[] = [
  bridgeEvent(DEPOSITED_V2, SPOKE_POOLS, toDepositV2),
  bridgeEvent(DEPOSITED_V3, SPOKE_POOLS, toDepositV3),
  bridgeEvent(DEPOSITED, SPOKE_POOLS, toDepositV3),
  bridgeEvent(FILLED_V2, SPOKE_POOLS, toDeliveryV2),
  bridgeEvent(FILLED_V3, SPOKE_POOLS, (fill, context) =>
    toDeliveryV3({ ...fill, messageHash: hashMessage(fill.message) }, context),
  ),
  bridgeEvent(FILLED, SPOKE_POOLS, toDeliveryV3),
];
