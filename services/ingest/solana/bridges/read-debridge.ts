import { findChain } from '../../../investigate/model/chain.ts';
import { type Movement, NATIVE } from '../../../investigate/model/movement.ts';
import { chainNumbered, toChainAddress } from '../../bridges/bridge-numbers.ts';
import { isWrappedNative } from '../ledger/wrapped-native.ts';
import {
  type BridgeCall,
  type BridgeContext,
  type BridgeReading,
  MARK_BYTES,
  markOf,
} from './bridge-call.ts';
import type { ProgramLog } from './read-program-logs.ts';

// https://docs.debridge.com/dln-details/overview/deployed-contracts
export const DLN_SOURCE = 'src5qyZHqTqecJV4aY6Cb6zDZLMDzrDKKezs22MPHr4';
export const DLN_DESTINATION = 'dst5MGcFPoBeREFAA5E3tU5ij8m5uVYwkzkSAbsLbNo';

/** `fulfill_order(order, order_id, unlock_authority)`. */
export const FULFIL = '3dd627f841d49924';
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

/** An order in Borsh form; addresses in hex, as their chains have them. Throws a RangeError if it is cut off. */
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
  // Authorities to change and to cancel it.
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

/** Orders made in a transaction. Programs only log them, at most one per run. */
export const readDebridgeOrders = (context: BridgeContext): BridgeReading[] => {
  const told = context.logs.filter(({ run, data }) => data !== null && run.program === DLN_SOURCE);
  const byRun = Map.groupBy(told, ({ run }) => run);
  return [...byRun].flatMap(([run, logs]) => readMade(logs, context.callOf(run), context.movements));
};

const readMade = (
  logs: readonly ProgramLog[],
  call: BridgeCall | null,
  movements: readonly Movement[],
): BridgeReading[] => {
  const events = logs.map(({ data }) => Buffer.from(data ?? '', 'base64'));
  const of = (mark: string): Buffer[] =>
    events.filter((event) => event.toString('hex', 0, MARK_BYTES) === mark);
  const [[order, ...others], [id]] = [of(CREATED), of(CREATED_ID)];
  if (order === undefined || id === undefined || others.length > 0) return [];
  const { maker, give, take, receiver } = readOrder(order, MARK_BYTES);
  const far = chainNumbered('debridge', take.chainId);
  const from = toChainAddress(chainNumbered('debridge', give.chainId), maker);
  const asset = toAsset(give);
  const { amountRaw } = give;
  const transfer = {
    bridge: 'debridge',
    side: 'deposit',
    farChain: far?.name ?? null,
    messageId: `0x${id.toString('hex', MARK_BYTES, MARK_BYTES + 32)}`,
    from,
    to: toChainAddress(far, receiver),
    asset,
    amountRaw,
  } as const;
  return [{ program: DLN_SOURCE, transfer, taken: call && findTaken(call, movements, transfer) }];
};

/**
 * The bridge's fee is taken along, and another fee may be in the same coin: the smallest own amount that suffices.
 */
const findTaken = (
  { place, placeEnd }: BridgeCall,
  movements: readonly Movement[],
  {
    from,
    asset,
    amountRaw,
  }: Pick<BridgeReading['transfer'], 'from' | 'asset'> & { readonly amountRaw: bigint },
): number | null => {
  let [least, leastRaw]: [number | null, bigint] = [null, 0n];
  for (const [at, row] of movements.slice(place, placeEnd).entries()) {
    if (row.kind !== 'transfer' || row.from !== from || row.asset !== asset) continue;
    if (row.amountRaw >= amountRaw && (least === null || row.amountRaw < leastRaw))
      [least, leastRaw] = [place + at, row.amountRaw];
  }
  return least;
};

/**
 * A fulfilled order; the program has checked its id. Anybody may fulfil and pay others beside, so the call's own
 * movements say who was paid.
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
