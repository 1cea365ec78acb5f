import { createHash } from 'node:crypto';
import { CCTP_MESSENGERS } from '../../ingest/bridges/cctp-messengers.ts';
import { join, keyBytes, type TestInstruction, TOKEN, u32, u64, wordOf } from './build-transaction.ts';

/** CCTP's programs, calling themselves to tell an event as Anchor has it. */

export const MESSENGER = 'CCTPiPYPc6AsJuwueEnWgSgucamXDZwBd53dQ11YiKX3';
export const MESSENGER_V2 = 'CCTPV2vPZJS2u2BBsUoscuikbYjnpFmbFsvVuJdgUMQe';
export const TRANSMITTER = 'CCTPmbSD7gX1bxKPAmg77w8oFzNFpaQiQUWD43TKaecd';
export const TRANSMITTER_V2 = 'CCTPV2Sm4AdWt5296sk4P66VBZ7bEhcARwFaaS9YPbeC';

const tell = (program: string, event: string, fields: Uint8Array): TestInstruction => ({
  program,
  accounts: [],
  data: join(
    Buffer.from('e445a52e51cb9a1d', 'hex'),
    createHash('sha256').update(`event:${event}`).digest().subarray(0, 8),
    fields,
  ),
});
/** Of the accounts that a call is given, the token account that it fills or empties. */
const calling = (program: string, account: string, ...calls: TestInstruction[]): TestInstruction => ({
  ...{ program, accounts: [account], data: Uint8Array.of(1) },
  calls,
});

type Burn = {
  readonly nonce: bigint | null;
  readonly account: string;
  readonly owner: string;
  readonly mint: string;
  readonly amount: bigint;
  readonly domain: number;
  readonly recipient: string;
};

/** Burns out of an account, and tells it. Without a nonce it is version 2. */
export const burnForDeposit = ({ nonce, account, owner, mint, amount, domain, recipient }: Burn) => {
  const program = nonce === null ? MESSENGER_V2 : MESSENGER;
  const burn = { program: TOKEN, accounts: [account, mint, owner], data: join([8], u64(amount)) };
  const fields = join(
    ...(nonce === null ? [] : [u64(nonce)]),
    ...[keyBytes(mint), u64(amount), keyBytes(owner), wordOf(recipient), u32(domain)],
    ...[new Uint8Array(32), new Uint8Array(32)],
  );
  return calling(program, account, burn, tell(program, 'DepositForBurn', fields));
};

type Receipt = {
  readonly nonce: bigint | null;
  readonly account: string;
  readonly mint: string;
  /** What was burnt, and what of it was kept. */
  readonly amount: bigint;
  readonly kept?: bigint;
  readonly domain: number;
  readonly sender: string;
  /** Who sent the message: where not given, Circle's messenger on Ethereum. */
  readonly messenger?: string;
};

const u256 = (value: bigint): Uint8Array => wordOf(value.toString(16));
const u32BigEndian = (value: number): Uint8Array => u32(value).toReversed();

/** Issues into an account what a message says, and tells of the message. Without a nonce it is version 2. */
export const mintForReceipt = ({ nonce, account, mint, amount, kept = 0n, ...message }: Receipt) => {
  const { domain, sender } = message;
  const isV2 = nonce === null;
  const messenger = message.messenger ?? CCTP_MESSENGERS[isV2 ? 2 : 1].ethereum ?? '';
  const program = isV2 ? TRANSMITTER_V2 : TRANSMITTER;
  const issue = {
    ...{ program: TOKEN, accounts: [mint, account, 'authority'] },
    data: join([7], u64(amount - kept)),
  };
  const body = join(
    ...[u32BigEndian(isV2 ? 1 : 0), new Uint8Array(32), keyBytes(account), u256(amount), wordOf(sender)],
    ...(isV2 ? [u256(kept), u256(kept), u256(0n)] : []),
  );
  const number = isV2 ? new Uint8Array(32).fill(9) : u64(nonce);
  const fields = join(
    ...[keyBytes('caller'), u32(domain), number, wordOf(messenger)],
    ...(isV2 ? [u32(2_000)] : []),
    ...[u32(body.length), body],
  );
  return calling(program, account, issue, tell(program, 'MessageReceived', fields));
};
