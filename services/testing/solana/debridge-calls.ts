import { createHash } from 'node:crypto';
import { DLN_DESTINATION } from '../../ingest/solana/bridges/read-debridge.ts';
import { join, type TestInstruction, u32, u64, wordOf } from './build-transaction.ts';

/** deBridge's orders, as its programs read and tell them. */

const bytes = (value: Uint8Array): Uint8Array => join(u32(value.length), value);

type Side = { readonly chain: bigint; readonly token: Uint8Array; readonly amount: bigint };
const offer = ({ chain, token, amount }: Side) =>
  join(wordOf(chain.toString(16)), bytes(token), wordOf(amount.toString(16)));

export type TestOrder = {
  readonly maker: Uint8Array;
  readonly give: Side;
  readonly take: Side;
  readonly receiver: Uint8Array;
};
const order = ({ maker, give, take, receiver }: TestOrder) =>
  join(
    ...[u64(5n), bytes(maker), offer(give), offer(take), bytes(receiver)],
    ...[bytes(maker), bytes(receiver), [0], [1], bytes(maker), [0]],
  );

export const fulfil = (id: string, of: TestOrder, ...calls: TestInstruction[]): TestInstruction => ({
  ...{ program: DLN_DESTINATION, accounts: [], calls },
  data: join(Buffer.from('3dd627f841d49924', 'hex'), order(of), wordOf(id), new Uint8Array(32)),
});

const event = (name: string, fields: Uint8Array): string => {
  const mark = createHash('sha256').update(`event:${name}`).digest().subarray(0, 8);
  return `Program data: ${Buffer.from(join(mark, fields)).toString('base64')}`;
};

/** What the program writes that made an order. */
export const orderLines = (id: string, of: TestOrder): string[] => [
  event('CreatedOrder', join(order(of), u64(1n), u64(1n))),
  event('CreatedOrderId', wordOf(id)),
];
