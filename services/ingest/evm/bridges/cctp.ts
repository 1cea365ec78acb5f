import type { Hex } from 'viem';
import { parseAbiItem } from 'viem/utils';
import { findChain } from '../../../investigate/model/chain.ts';
import type { Movement } from '../../../investigate/model/movement.ts';
import { chainNumbered, numberOfChain, toChainAddress } from '../../bridges/bridge-numbers.ts';
import { cctpContentId, cctpMessageId, readBurnMessage } from '../../bridges/cctp-message.ts';
import { CCTP_MESSENGERS, isOfMessenger, issuedByCctp } from '../../bridges/cctp-messengers.ts';
import {
  type BridgeContext,
  type BridgeEvent,
  type BridgeReading,
  bridgeEvent,
  type Contracts,
  type EventArgs,
} from './bridge-event.ts';

// https://developers.circle.com/cctp/v1/evm-smart-contracts and https://developers.circle.com/cctp/references/contract-addresses
const TRANSMITTERS: Contracts = {
  ethereum: ['0x0a992d191deec32afe36203ad87d7d289a738f81'],
  optimism: ['0x4d41f22c5a0e5c74090899e5a8fb597a8842b3e8'],
  arbitrum: ['0xc30362313fbba5cf9163f0bb16a0e01f01a896ca'],
  base: ['0xad09780d193884d503182ad4588450c416d6f9d4'],
  polygon: ['0xf3be9355363857f3e001be68856a2f96b4c39ba9'],
};
const TRANSMITTERS_V2: Contracts = Object.fromEntries(
  Object.keys(TRANSMITTERS).map((chain) => [chain, ['0x81d40f21f12a8f0e3252bccb954d722d4c464b64']]),
);
const messengers = (version: 1 | 2): Contracts =>
  Object.fromEntries(
    Object.entries(CCTP_MESSENGERS[version]).map(([chain, contract]) => [chain, [contract]]),
  );

const DEPOSIT = parseAbiItem(
  'event DepositForBurn(uint64 indexed nonce, address indexed burnToken, uint256 amount, address indexed depositor, bytes32 mintRecipient, uint32 destinationDomain, bytes32 destinationTokenMessenger, bytes32 destinationCaller)',
);
const DEPOSIT_V2 = parseAbiItem(
  'event DepositForBurn(address indexed burnToken, uint256 amount, address indexed depositor, bytes32 mintRecipient, uint32 destinationDomain, bytes32 destinationTokenMessenger, bytes32 destinationCaller, uint256 maxFee, uint32 indexed minFinalityThreshold, bytes hookData)',
);
const RECEIVED = parseAbiItem(
  'event MessageReceived(address indexed caller, uint32 sourceDomain, uint64 indexed nonce, bytes32 sender, bytes messageBody)',
);
const RECEIVED_V2 = parseAbiItem(
  'event MessageReceived(address indexed caller, uint32 sourceDomain, bytes32 indexed nonce, bytes32 sender, uint32 indexed finalityThresholdExecuted, bytes messageBody)',
);

type Deposited = {
  readonly burnToken: string;
  readonly amount: bigint;
  readonly depositor: string;
  readonly mintRecipient: string;
  readonly destinationDomain: number;
};

const toDeposit = (burn: Deposited, messageId: string): BridgeReading => {
  const far = chainNumbered('cctp', burn.destinationDomain);
  return {
    bridge: 'cctp',
    side: 'deposit',
    messageId,
    farChain: far?.name ?? null,
    from: burn.depositor.toLowerCase(),
    to: toChainAddress(far, burn.mintRecipient),
    asset: burn.burnToken.toLowerCase(),
    amountRaw: burn.amount,
  };
};

const readDeposit = (burn: EventArgs<typeof DEPOSIT>, { chain }: BridgeContext): BridgeReading | null => {
  const domain = numberOfChain('cctp', chain);
  return domain === null ? null : toDeposit(burn, cctpMessageId(domain, burn.nonce));
};

const readDepositV2 = (
  deposit: EventArgs<typeof DEPOSIT_V2>,
  { chain }: BridgeContext,
): BridgeReading | null => {
  const sourceDomain = numberOfChain('cctp', chain);
  if (sourceDomain === null) return null;
  const { destinationDomain, burnToken: token, mintRecipient: recipient, depositor: sender } = deposit;
  const burn = { sourceDomain, destinationDomain, token, recipient, sender, burntRaw: deposit.amount };
  return toDeposit(deposit, cctpContentId(burn));
};

type Received = {
  readonly sourceDomain: number;
  readonly sender: Hex;
  readonly messageBody: Hex;
  /** null: version 2. */
  readonly nonce: bigint | null;
};

/** A message moves money if the messenger sent it and the money was issued beside it, which `keepIssued` checks. */
const toDelivery = (received: Received, context: BridgeContext): BridgeReading | null => {
  const { sourceDomain, messageBody, nonce } = received;
  const [near, far] = [findChain(context.chain), chainNumbered('cctp', sourceDomain)];
  if (!isOfMessenger(received.sender, far, nonce === null ? 2 : 1)) return null;
  const message = readBurnMessage(Buffer.from(messageBody.slice(2), 'hex'));
  const destinationDomain = numberOfChain('cctp', context.chain);
  const to = toChainAddress(near, message?.recipient ?? '');
  const asset = near && issuedByCctp(near);
  if (message === null || to === null || asset === null || destinationDomain === null) return null;
  const { amountRaw, sender } = message;
  return {
    bridge: 'cctp',
    side: 'delivery',
    farChain: far?.name ?? null,
    messageId:
      nonce === null
        ? cctpContentId({ ...message, sourceDomain, destinationDomain })
        : cctpMessageId(sourceDomain, nonce),
    from: toChainAddress(far, sender),
    to,
    asset,
    amountRaw,
  };
};

/**
 * Keeps as many CCTP deliveries as were issued in the transaction: one issue belongs to one message, so they must
 * be compared together. Known messengers go first, because anybody can send a message of an unknown chain about
 * the same money.
 */
export const keepIssued = (
  readings: readonly BridgeReading[],
  movements: readonly Movement[],
): readonly BridgeReading[] => {
  const isOfCctp = ({ bridge, side }: BridgeReading): boolean => bridge === 'cctp' && side === 'delivery';
  const deliveries = readings.filter(isOfCctp);
  if (deliveries.length === 0) return readings;
  const issued = new Map<string, number>();
  for (const row of movements)
    if (row.kind === 'mint') issued.set(payoutKey(row), (issued.get(payoutKey(row)) ?? 0) + 1);
  const known = deliveries.filter(({ farChain }) => farChain !== null);
  const kept = new Set<BridgeReading>();
  for (const delivery of [...known, ...deliveries.filter(({ farChain }) => farChain === null)]) {
    const left = issued.get(payoutKey(delivery)) ?? 0;
    if (left > 0) kept.add(delivery);
    issued.set(payoutKey(delivery), left - 1);
  }
  return readings.filter((reading) => !isOfCctp(reading) || kept.has(reading));
};

const payoutKey = ({ to, asset, amountRaw }: Pick<BridgeReading, 'to' | 'asset' | 'amountRaw'>): string =>
  `${to} ${asset} ${amountRaw}`;

export const cctpEvents: readonly BridgeEvent[] = [
  bridgeEvent(DEPOSIT, messengers(1), readDeposit),
  bridgeEvent(DEPOSIT_V2, messengers(2), readDepositV2),
  bridgeEvent(RECEIVED, TRANSMITTERS, toDelivery),
  bridgeEvent(RECEIVED_V2, TRANSMITTERS_V2, (received, context) =>
    toDelivery({ ...received, nonce: null }, context),
  ),
];
