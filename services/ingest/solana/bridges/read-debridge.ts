import { findChain } from '../../../investigate/model/chain.ts';
import { NATIVE } from '../../../investigate/model/movement.ts';
import { chainNumbered, toChainAddress } from '../../bridge-numbers.ts';
import { isWrappedNative } from '../wrapped-native.ts';
import {
  type BridgeCall,
  type BridgeContext,
  type BridgeReading,
  MARK_BYTES,
  markOf,
} from './bridge-call.ts';

// https://docs.debridge.com/dln-details/overview/deployed-contracts
export const DLN_SOURCE = 'src5qyZHqTqecJV4aY6Cb6zDZLMDzrDKKezs22MPHr4';
export const DLN_DESTINATION = 'dst5MGcFPoBeREFAA5E3tU5ij8m5uVYwkzkSAbsLbNo';

/** `fulfill_order(order, order_id, unlock_authority)`. */
const FULFIL = '3dd627f841d49924';
const CREATED = markOf('CreatedOrder');
const CREATED_ID = markOf('CreatedOrderId');

type Offer = { readonly chainId: bigint; readonly token: string; readonly amountRaw: bigint };
type Order = {
  readonly maker: string;
  readonly give: Offer;
  readonly take: Offer;
  readonly receiver: string;
  /** Where it ends. */
  readonly end: number;
};

/** An order as Borsh writes it; addresses in hex, as their chains have them. Throws a RangeError where it is cut off. */
const readOrder = (bytes: Buffer, start: number): Order => {
  let at = start + 8;
  const take = (length: number): string => {
    if (at + length > bytes.length) throw new RangeError('the order is cut off');
    at += length;
    return bytes.toString('hex', at - length, at);
  };
  const takeBytes = (): string => {
    const length = bytes.readUInt32LE(at);
    at += 4;
    return take(length);
  };
  const takeOption = (read: () => unknown): void => {
    if (take(1) !== '00') read();
  };
  const takeOffer = (): Offer => ({
    chainId: BigInt(`0x${take(32)}`),
    token: takeBytes(),
    amountRaw: BigInt(`0x${take(32)}`),
  });
  const order = { maker: takeBytes(), give: takeOffer(), take: takeOffer(), receiver: takeBytes() };
  // Who may change it, and who may cancel it.
  takeBytes();
  takeBytes();
  takeOption(takeBytes);
  takeOption(takeBytes);
  takeOption(() => take(32));
  return { ...order, end: at };
};

const toAsset = (offer: Offer): string | null => {
  const mint = toChainAddress(findChain('solana'), offer.token);
  return mint !== null && isWrappedNative(mint) ? NATIVE : mint;
};

/** Orders made in a transaction: their programs tell them in the log alone. */
export const readDebridgeOrders = ({ logs }: BridgeContext): BridgeReading[] => {
  const events = logs.flatMap(({ programs, data }) =>
    data !== null && programs.at(-1) === DLN_SOURCE ? [Buffer.from(data, 'base64')] : [],
  );
  const of = (mark: string): Buffer[] =>
    events.filter((event) => event.toString('hex', 0, MARK_BYTES) === mark);
  const ids = of(CREATED_ID).map((event) => `0x${event.toString('hex', MARK_BYTES, MARK_BYTES + 32)}`);
  const orders = of(CREATED);
  if (ids.length !== orders.length) return [];
  return orders.map((event, position): BridgeReading => {
    const { maker, give, take, receiver } = readOrder(event, MARK_BYTES);
    const far = chainNumbered('debridge', take.chainId);
    return {
      program: DLN_SOURCE,
      taken: null,
      transfer: {
        bridge: 'debridge',
        side: 'deposit',
        farChain: far?.name ?? null,
        messageId: ids[position] ?? null,
        from: toChainAddress(chainNumbered('debridge', give.chainId), maker),
        to: toChainAddress(far, receiver),
        asset: toAsset(give),
        amountRaw: give.amountRaw,
      },
    };
  });
};

/**
 * An order fulfilled: the program has checked that the order has this id. Anybody may do it and pay whomever he wants beside: what
 * the call itself moved says who was paid.
 */
export const readDebridgeFulfilment = (
  { program, data, place, placeEnd }: BridgeCall,
  { movements }: BridgeContext,
): BridgeReading[] => {
  if (program !== DLN_DESTINATION || data.toString('hex', 0, MARK_BYTES) !== FULFIL) return [];
  const { maker, give, take, receiver, end } = readOrder(data, MARK_BYTES);
  const far = chainNumbered('debridge', give.chainId);
  const asset = toAsset(take);
  const paid = movements
    .slice(place, placeEnd)
    .find((row) => row.kind === 'transfer' && row.asset === asset && row.amountRaw === take.amountRaw);
  return [
    {
      program,
      taken: null,
      transfer: {
        bridge: 'debridge',
        side: 'delivery',
        farChain: far?.name ?? null,
        messageId: `0x${data.toString('hex', end, end + 32)}`,
        from: toChainAddress(far, maker),
        to: paid?.to ?? toChainAddress(findChain('solana'), receiver),
        asset,
        amountRaw: take.amountRaw,
      },
    },
  ];
};
