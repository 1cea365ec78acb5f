import type {
  Neighbour,
  NeighboursRequest,
  ServiceTransfer,
  ServiceTransfersRequest,
  TraceReader,
  TransactionRead,
  TransactionRequest,
  WalletTransfer,
  WalletTransfersRequest,
} from './trace-reader.ts';
import type { ReadLimits } from './transfer-reader.ts';

/**
 * A trace reader that answers many requests of one kind at once. Each answer equals what `TraceReader` gives
 * to the single request, in the same order.
 */
export type ManyReader = TraceReader & {
  readonly transactionsOf: (
    requests: Many<TransactionRequest>,
    limits: ReadLimits,
  ) => Promise<readonly (TransactionRead | null)[]>;
  readonly serviceTransfersOf: (
    requests: Many<ServiceTransfersRequest>,
    limits: ReadLimits,
  ) => Promise<readonly (readonly ServiceTransfer[])[]>;
  readonly walletTransfersOf: (
    requests: Many<WalletTransfersRequest>,
    limits: ReadLimits,
  ) => Promise<readonly (readonly WalletTransfer[])[]>;
  readonly neighboursOf: (
    requests: Many<NeighboursRequest>,
    limits: ReadLimits,
  ) => Promise<readonly (readonly Neighbour[])[]>;
};

/** A request without its caller's limits. A query for many callers has its own limits. */
export type Unlimited<Request> = Omit<Request, keyof ReadLimits>;
export type Many<Request> = readonly Unlimited<Request>[];
