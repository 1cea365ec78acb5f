import type { Address } from '../../model/address.ts';
import {
  type AssetSent,
  type BridgeMessagesRequest,
  type FarArrival,
  type FarArrivalsRequest,
  type FlowPage,
  type FlowPlace,
  type FlowsOf,
  type MaybePool,
  type PlacedBridgeTransfer,
  type PoolsRequest,
  type ReadLimits,
  type SwappersRequest,
  type TransactionPosition,
  type TransferReader,
  transactionKey,
  type WalletSpan,
} from '../../model/transfer-reader.ts';
import { textOf } from '../kind.ts';
import { kindsOf } from './kinds-of.ts';
import { kind } from './make-kind.ts';
import { transactionsKind } from './transactions-kind.ts';

type Common<Request, Key extends keyof Request> = Omit<Request, keyof ReadLimits | Key>;
type OnChain = { readonly chain: string };
type Message = BridgeMessagesRequest['messages'][number];

/** The queries about transfers, each with plural keys. */
export const transferKinds = (reader: TransferReader) => ({
  ...placeKinds(reader),
  ...subjectKinds(reader),
  flows: kind<FlowsOf, FlowPlace, FlowPage>({
    query: (common, places, limits) => reader.flows(common, places, limits),
    textOf: ({ wallet, from }) => `${wallet} ${from.blockTime} ${transactionKey(from)} ${from.step}`,
    rowsOf: ({ rows }) => rows.length,
  }),
  swappers: kind<Common<SwappersRequest, 'spans'>, WalletSpan, boolean>({
    query: async (common, spans, limits) => {
      const swappers = await reader.swappers({ ...common, spans, ...limits });
      return spans.map(({ wallet }) => swappers.has(wallet));
    },
  }),
  assetsMoved: kind<OnChain & AssetsMoved, Address, readonly AssetSent[]>({
    query: ({ chain, ...moved }, wallets, limits) =>
      Promise.all(
        wallets.map((wallet) =>
          'untilUnixSeconds' in moved
            ? reader.assetsReceived({ chain, wallet, ...moved, ...limits })
            : reader.assetsSent({ chain, wallet, ...moved, ...limits }),
        ),
      ),
  }),
  farArrivals: kind<Common<FarArrivalsRequest, 'wallet'>, Address, readonly FarArrival[]>({
    query: (common, wallets, limits) =>
      Promise.all(wallets.map((wallet) => reader.farArrivals({ ...common, wallet, ...limits }))),
  }),
  pools: kind<Common<PoolsRequest, 'recipients'>, MaybePool, boolean>({
    query: async (common, recipients, limits) => {
      const pools = await reader.pools({ ...common, recipients, ...limits });
      return recipients.map(({ address }) => pools.has(address));
    },
  }),
});

const subjectKinds = ({ balance, lost, isKnown, contiguousRange, labels }: TransferReader) =>
  kindsOf({ balance, lost, isKnown, contiguousRange, labels });

type AssetsMoved = { readonly sinceUnixSeconds: number } | { readonly untilUnixSeconds: number };

/** By where transactions are. */
const placeKinds = (reader: TransferReader) => ({
  transactions: transactionsKind(reader),
  transactionHashes: kind<OnChain, TransactionPosition, string | null>({
    query: reader.transactionHashes,
    // A position with another time is another one.
    textOf: (position) => `${position.blockTime} ${transactionKey(position)}`,
  }),
  bridgeTransfers: kind<OnChain, TransactionPosition, readonly PlacedBridgeTransfer[]>({
    query: async (common, positions, limits) => {
      const told = await reader.bridgeTransfers({ ...common, positions, ...limits });
      const byPlace = Map.groupBy(told, transactionKey);
      return positions.map((position) => byPlace.get(transactionKey(position)) ?? []);
    },
    textOf: transactionKey,
  }),
  bridgeMessages: kind<object, Message, readonly PlacedBridgeTransfer[]>({
    query: async (_, messages, limits) => {
      const told = await reader.bridgeMessages({ messages, ...limits });
      const byMessage = Map.groupBy(told, messageText);
      return messages.map((message) => byMessage.get(messageText(message)) ?? []);
    },
    textOf: messageText,
  }),
});

const messageText = ({ bridge, messageId }: { readonly bridge: unknown; readonly messageId: unknown }) =>
  textOf([bridge, messageId]);
