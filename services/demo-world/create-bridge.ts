import * as evm from '../ingest/evm/bridges/debridge.ts';
import * as solana from '../ingest/solana/bridges/read-debridge.ts';
import { NATIVE } from '../investigate/model/movement.ts';
import { anchor, type ChainSide, rawForUsd, type Stage, stock, tryWrite, usdOf } from './chain-side.ts';
import type { Asset, Call, Move, Offer, Order, Written } from './writer.ts';

export type Bridge = {
  /** Who takes the money on that chain. */
  readonly takerOn: (side: ChainSide) => string;
  /** Sends money to the other chain: null if the wallet cannot pay. */
  readonly send: (
    side: ChainSide,
    from: string,
    asset: Asset,
    amountRaw: bigint,
    far: ChainSide,
    to: string,
    owner: string,
  ) => Written | null;
};

type Place = {
  /** The program or contract that takes orders, and the one that fulfils them. */
  readonly source: string;
  readonly destination: string;
  /** Where given money goes, and where taken money comes from. */
  readonly into: string;
  readonly outOf: string;
  readonly relayer: string;
};

const NAME = 'deBridge';
const STOCK_USD = 60_000_000;
const FEE = 0.0008;

const openPlace = ({ writer }: ChainSide): Place => {
  const vault = writer.newDerived();
  // Drawn as in earlier versions, so that the names that follow stay the same.
  writer.newAddress();
  const relayer = writer.newAddress();
  const { DLN_SOURCE: source, DLN_DESTINATION: destination } = writer.family === 'evm' ? evm : solana;
  for (const program of [source, destination]) writer.addContract(program);
  // A contract keeps the money itself; a program has an account for it.
  if (writer.family === 'evm') return { source, destination, into: source, outOf: destination, relayer };
  writer.addContract(vault, destination);
  return { source, destination, into: vault, outOf: vault, relayer };
};

/** The same asset on the other chain: a stablecoin for a stablecoin, the coin by its value. */
const farAsset = (side: ChainSide, far: ChainSide, asset: Asset): Asset =>
  asset === side.usdc.asset ? far.usdc.asset : asset === side.usdt.asset ? far.usdt.asset : NATIVE;

/** deBridge as its orders show it; one account of its own stands for all who fulfil them. */
export const createBridge = (stage: Stage, sides: readonly ChainSide[]): Bridge => {
  const random = stage.random.fork('bridge');
  const places = new Map<ChainSide, Place>();
  for (const side of sides) {
    const place = openPlace(side);
    stock(stage, side, place.outOf, STOCK_USD);
    side.writer.endow(place.relayer, NATIVE, rawForUsd(stage, side.native, 50_000));
    for (const address of new Set([place.source, place.into, place.outOf]))
      stage.truth.label(side.chain, address, NAME, 'bridge', true);
    for (const address of new Set(Object.values(place))) stage.truth.own(NAME, 'bridge', side.chain, address);
    places.set(side, place);
  }
  const placeOn = (side: ChainSide): Place => {
    const place = places.get(side);
    if (place === undefined) throw new RangeError(`the bridge does not serve ${side.chain}`);
    return place;
  };
  let orders = 0n;
  const toOrder = (given: Offer, side: ChainSide, far: ChainSide, maker: string, receiver: string): Order => {
    const paid = far.infoOf(farAsset(side, far, given.asset));
    const usd = usdOf(stage, side.infoOf(given.asset), given.amountRaw);
    const take = { chain: far.chain, asset: paid.asset, amountRaw: rawForUsd(stage, paid, usd * (1 - FEE)) };
    return { nonce: orders++, maker, give: given, take, receiver };
  };
  const fulfil = (order: Order, far: ChainSide): Written | null => {
    const { destination, outOf, relayer } = placeOn(far);
    const { asset, amountRaw } = order.take;
    const move: Move = { type: 'transfer', from: outOf, to: order.receiver, asset, amountRaw };
    const call: Call = {
      ...{ program: destination, method: 'fulfill_order', moves: [move] },
      order: { is: 'fulfilled', order },
    };
    return tryWrite(far, { sender: relayer, calls: [call] });
  };
  return {
    takerOn: (side) => placeOn(side).source,
    send: (side, from, asset, amountRaw, far, to, owner) => {
      const { source, into } = placeOn(side);
      const order = toOrder({ chain: side.chain, asset, amountRaw }, side, far, from, to);
      const move: Move = { type: 'transfer', from, to: into, asset, amountRaw };
      const call: Call = {
        ...{ program: source, method: 'create_order_with_nonce', moves: [move] },
        order: { is: 'created', order },
      };
      const sent = tryWrite(side, { sender: from, calls: [call] });
      if (sent === null) return null;
      stage.simulation.after(random.logNormal(700, 0.9), () => {
        const got = fulfil(order, far);
        if (got === null) return;
        stage.truth.line({
          type: 'bridge_link',
          bridge: NAME,
          owner,
          from: anchor(side, sent, from, asset, amountRaw),
          to: anchor(far, got, to, order.take.asset, order.take.amountRaw),
        });
      });
      return sent;
    },
  };
};
