import { base58 } from '@scure/base';
import { markOf } from '../../ingest/solana/bridges/bridge-call.ts';
import { FULFIL } from '../../ingest/solana/bridges/read-debridge.ts';
import { orderBytes, orderId } from '../order-bytes.ts';
import type { Order } from '../writer.ts';

const NO_FEES = Buffer.alloc(16);
const UNLOCK_AUTHORITY = Buffer.alloc(32);

const toEvent = (name: string, ...fields: readonly Uint8Array[]): string =>
  Buffer.concat([Buffer.from(markOf(name), 'hex'), ...fields]).toString('base64');

/** What deBridge's program tells of an order that was made, in base64. */
export const createdEvents = (order: Order): readonly string[] => [
  toEvent('CreatedOrder', orderBytes(order), NO_FEES),
  toEvent('CreatedOrderId', orderId(order)),
];

/** The data of the instruction that fulfils an order, in base58. */
export const fulfilData = (order: Order): string =>
  base58.encode(
    Buffer.concat([Buffer.from(FULFIL, 'hex'), orderBytes(order), orderId(order), UNLOCK_AUTHORITY]),
  );
