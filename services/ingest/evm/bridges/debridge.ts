import { parseAbiItem } from 'viem/utils';
import { chainNumbered, toChainAddress } from '../../bridges/bridge-numbers.ts';
import {
  type BridgeEvent,
  type BridgeReading,
  bridgeEvent,
  type Contracts,
  type EventArgs,
  toAsset,
} from './bridge-event.ts';

// https://docs.debridge.com/dln-details/overview/deployed-contracts: the same on every chain
export const DLN_SOURCE = '0xef4fb24ad0916217251f553c0596f8edc630eb66';
export const DLN_DESTINATION = '0xe7351fd770a37282b91d153ee690b63579d6dd7f';

const everywhere = (contract: string): Contracts =>
  Object.fromEntries(
    ['ethereum', 'optimism', 'bsc', 'polygon', 'base', 'arbitrum'].map((chain) => [chain, [contract]]),
  );

const ORDER =
  'struct Order { uint64 makerOrderNonce; bytes makerSrc; uint256 giveChainId; bytes giveTokenAddress; uint256 giveAmount; uint256 takeChainId; bytes takeTokenAddress; uint256 takeAmount; bytes receiverDst; bytes givePatchAuthoritySrc; bytes orderAuthorityAddressDst; bytes allowedTakerDst; bytes allowedCancelBeneficiarySrc; bytes externalCall; }';
export const CREATED_ORDER = parseAbiItem([
  'event CreatedOrder(Order order, bytes32 orderId, bytes affiliateFee, uint256 nativeFixFee, uint256 percentFee, uint32 referralCode, bytes metadata)',
  ORDER,
]);
export const FULFILLED_ORDER = parseAbiItem([
  'event FulfilledOrder(Order order, bytes32 orderId, address sender, address unlockAuthority)',
  ORDER,
]);

const readCreated = ({ order, orderId }: EventArgs<typeof CREATED_ORDER>): BridgeReading => {
  const near = chainNumbered('debridge', order.giveChainId);
  const far = chainNumbered('debridge', order.takeChainId);
  return {
    bridge: 'debridge',
    side: 'deposit',
    messageId: orderId,
    farChain: far?.name ?? null,
    from: toChainAddress(near, order.makerSrc),
    to: toChainAddress(far, order.receiverDst),
    asset: toAsset(toChainAddress(near, order.giveTokenAddress)),
    amountRaw: order.giveAmount,
  };
};

const readFulfilled = ({ order, orderId }: EventArgs<typeof FULFILLED_ORDER>): BridgeReading => {
  const near = chainNumbered('debridge', order.takeChainId);
  const far = chainNumbered('debridge', order.giveChainId);
  return {
    bridge: 'debridge',
    side: 'delivery',
    messageId: orderId,
    farChain: far?.name ?? null,
    from: toChainAddress(far, order.makerSrc),
    to: toChainAddress(near, order.receiverDst),
    asset: toAsset(toChainAddress(near, order.takeTokenAddress)),
    amountRaw: order.takeAmount,
  };
};

export const debridgeEvents: readonly BridgeEvent[] = [
  bridgeEvent(CREATED_ORDER, everywhere(DLN_SOURCE), readCreated),
  bridgeEvent(FULFILLED_ORDER, everywhere(DLN_DESTINATION), readFulfilled),
];
