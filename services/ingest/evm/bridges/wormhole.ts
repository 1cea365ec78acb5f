import type { Hex } from 'viem';
import { pad, parseAbiItem, size, slice } from 'viem/utils';
import { isListed, knownDecimals, toCanonicalAsset } from '../../../investigate/model/asset.ts';
import { type Chain, findChain } from '../../../investigate/model/chain.ts';
import type { Movement } from '../../../investigate/model/movement.ts';
import { chainNumbered, numberOfChain, toChainAddress } from '../../bridges/bridge-numbers.ts';
import { claimedBy, wormholeClaim } from '../../bridges/wormhole-claim.ts';
import {
  type BridgeContext,
  type BridgeEvent,
  type BridgeReading,
  bridgeEvent,
  type Contracts,
  type EventArgs,
} from './bridge-event.ts';

// https://wormhole.com/docs/products/reference/contract-addresses/
const CORES: Contracts = {
  ethereum: ['0x98f3c9e6e3face36baad05fe09d375ef1464288b'],
  bsc: ['0x98f3c9e6e3face36baad05fe09d375ef1464288b'],
  polygon: ['0x7a4b5a56256163f07b2c80a7ca55abe66c4ec4d7'],
  arbitrum: ['0xa5f208e072434bc67592e4c49c1b991ba79bca46'],
  optimism: ['0xee91c335eab126df5fdb3797ea9d6ad93aec9722'],
  base: ['0xbebdb6c8ddc678ffa9f8748f85c815c556dd8ac6'],
};
const TOKEN_BRIDGES: Contracts = {
  ethereum: ['0x3ee18b2214aff97000d974cf647e7c347e8fa585'],
  bsc: ['0xb6f6d86a8f9879a9c87f643768d9efc38c1da6e7'],
  polygon: ['0x5a58505a96d1dbf8df91cb21b54419fc36e93fde'],
  arbitrum: ['0x0b2402144bb366a632d14b83f244d2e0e21bd39c'],
  optimism: ['0x1d68124e65fafc907325e3edbf8c4d84499daa8b'],
  base: ['0x8d2de8d2f73f1f4cab472ac9a881c9b123c79627'],
};

const PUBLISHED = parseAbiItem(
  'event LogMessagePublished(address indexed sender, uint64 sequence, uint32 nonce, bytes payload, uint8 consistencyLevel)',
);
const REDEEMED = parseAbiItem(
  'event TransferRedeemed(uint16 indexed emitterChainId, bytes32 indexed emitterAddress, uint64 indexed sequence)',
);

/** Each emitter of each chain counts its own messages. */
const wormholeMessageId = (chain: bigint | number, emitter: string, sequence: bigint): string =>
  `${chain}/${emitter.toLowerCase()}/${sequence}`;

// Payloads of the token bridge: https://wormhole.com/docs/protocol/infrastructure/vaas/#token-transfer
const TRANSFERS = ['0x01', '0x03'];
const AMOUNT_AT = 1;
const TOKEN_AT = 33;
const TOKEN_CHAIN_AT = 65;
const TO_AT = 67;
const TO_CHAIN_AT = 99;
const TRANSFER_BYTES_MIN = 133;

const isTransfer = (payload: Hex): boolean =>
  size(payload) >= TRANSFER_BYTES_MIN && TRANSFERS.includes(slice(payload, 0, 1));

/**
 * What a token bridge took. The message's amount has lost the digits after the eighth decimal, and its payload
 * names the token by its own chain; only the bridge knows a foreign token's form here. If several parties paid in
 * as much, the sender stays open; if one paid twice, only the smaller amount is certain.
 */
const findTaken = (payload: Hex, bridge: string, { chain, movements }: BridgeContext) => {
  const near = findChain(chain);
  if (near === null) return undefined;
  const told = BigInt(slice(payload, AMOUNT_AT, AMOUNT_AT + 32));
  const isFromHere =
    BigInt(slice(payload, TOKEN_CHAIN_AT, TOKEN_CHAIN_AT + 2)) === numberOfChain('wormhole', chain);
  const token = isFromHere ? (toChainAddress(near, slice(payload, TOKEN_AT, TOKEN_AT + 32)) ?? '') : null;
  const paidIn = movements.filter(
    ({ kind, to, asset, amountRaw }) =>
      kind === 'transfer' &&
      to === bridge &&
      (token === null || toCanonicalAsset(near, asset) === toCanonicalAsset(near, token)) &&
      isAsMuch(amountRaw, told, knownDecimals(near, toCanonicalAsset(near, asset))),
  );
  const taken = onlyAsset(near, paidIn);
  if (new Set(taken.map(({ from }) => from)).size !== 1) return undefined;
  return taken.reduce((least, other) => (other.amountRaw > least.amountRaw ? least : other));
};

/** The part of an amount that messages keep. */
const TOLD_DECIMALS = 8;

/**
 * Whether an amount equals the message's, which may have lost digits; how many is unknown without decimals. Zero
 * never counts.
 */
const isAsMuch = (amountRaw: bigint, told: bigint, decimals: number | null): boolean =>
  told > 0n &&
  (decimals === null ? String(amountRaw).startsWith(String(told)) : amountRaw / leastTold(decimals) === told);

/** The smallest amount that a message can express. */
const leastTold = (decimals: number): bigint => 10n ** BigInt(Math.max(0, decimals - TOLD_DECIMALS));

/** All of them, or none if they are of several assets. */
const onlyAsset = (chain: Chain, movements: readonly Movement[]): readonly Movement[] =>
  new Set(movements.map(({ asset }) => toCanonicalAsset(chain, asset))).size === 1 ? movements : [];

/** The message's amount has lost digits; the payment to the bridge has all of them. */
const readPublished = (
  { payload, sequence, ...published }: EventArgs<typeof PUBLISHED>,
  context: BridgeContext,
): BridgeReading | null => {
  const { chain } = context;
  const sender = published.sender.toLowerCase();
  const number = numberOfChain('wormhole', chain);
  if (number === null || !TOKEN_BRIDGES[chain]?.includes(sender) || !isTransfer(payload)) return null;
  const far = chainNumbered('wormhole', BigInt(slice(payload, TO_CHAIN_AT, TO_CHAIN_AT + 2)));
  const paid = findTaken(payload, sender, context);
  return {
    bridge: 'wormhole',
    side: 'deposit',
    farChain: far?.name ?? null,
    messageId:
      far?.family === 'solana'
        ? claimedBy(wormholeClaim(number, pad(published.sender), sequence))
        : wormholeMessageId(number, pad(published.sender), sequence),
    from: paid?.from ?? null,
    to: toChainAddress(far, slice(payload, TO_AT, TO_AT + 32)),
    asset: paid?.asset ?? null,
    amountRaw: paid?.amountRaw ?? null,
  };
};

/**
 * What a token bridge paid: its helper first, then the recipient. Anybody can log a payment in his own token, but
 * not in a listed one unless the amount is zero; among several unlisted ones it stays open. The bridge issues
 * foreign tokens, and the rows do not name the issuer. An amount too small for a message is change that goes back
 * to the depositor.
 */
const findGiven = (bridge: string, { chain, movements }: BridgeContext): Movement | undefined => {
  const near = findChain(chain);
  if (near === null) return undefined;
  const isPayment = ({ asset, amountRaw }: Movement): boolean =>
    amountRaw >= leastTold(knownDecimals(near, toCanonicalAsset(near, asset)) ?? 0);
  const paidOut = movements.filter(
    (row) => (row.kind === 'transfer' || row.kind === 'unwrap') && row.from === bridge && isPayment(row),
  );
  const listed = paidOut.filter(({ asset }) => isListed(near, toCanonicalAsset(near, asset)));
  const issued = movements.filter(({ kind, amountRaw }) => kind === 'mint' && amountRaw > 0n);
  const given = onlyAsset(near, listed.length > 0 ? listed : [...paidOut, ...issued]);
  return given.findLast(({ kind }) => kind !== 'unwrap');
};

/** The event holds only the number. */
const readRedeemed = (
  { emitterChainId, emitterAddress, sequence }: EventArgs<typeof REDEEMED>,
  context: BridgeContext,
  bridge: string,
): BridgeReading => {
  const paid = context.isOnly ? findGiven(bridge, context) : undefined;
  return {
    bridge: 'wormhole',
    side: 'delivery',
    from: null,
    messageId: wormholeMessageId(emitterChainId, emitterAddress, sequence),
    farChain: chainNumbered('wormhole', emitterChainId)?.name ?? null,
    to: paid?.to ?? null,
    asset: paid?.asset ?? null,
    amountRaw: paid?.amountRaw ?? null,
  };
};

export const wormholeEvents: readonly BridgeEvent[] = [
  bridgeEvent(PUBLISHED, CORES, readPublished),
  bridgeEvent(REDEEMED, TOKEN_BRIDGES, readRedeemed),
];
