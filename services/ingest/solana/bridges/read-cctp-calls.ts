import type { BridgeTransfer } from '../../../investigate/model/bridge-transfer.ts';
import { findChain } from '../../../investigate/model/chain.ts';
import type { Movement } from '../../../investigate/model/movement.ts';
import { chainNumbered, numberOfChain, toChainAddress } from '../../bridges/bridge-numbers.ts';
import { cctpContentId, cctpMessageId, readBurnMessage } from '../../bridges/cctp-message.ts';
import { isOfMessenger, issuedByCctp } from '../../bridges/cctp-messengers.ts';
import { encodeBase58 } from '../encoding/base58.ts';
import {
  type BridgeCall,
  type BridgeContext,
  type BridgeReading,
  findOwn,
  MARK_BYTES,
  markOf,
} from './bridge-call.ts';

type DepositLayout = Readonly<
  Record<'token' | 'amount' | 'depositor' | 'recipient' | 'domain', number> & { nonce: number | null }
>;
type ReceiptLayout = Readonly<Record<'domain' | 'sender' | 'body', number> & { nonce: number | null }>;

// Offsets of fields in the programs' events. https://github.com/circlefin/solana-cctp-contracts,
// programs/*/src/**/events.rs
const DEPOSITS: Readonly<Record<string, DepositLayout>> = {
  CCTPiPYPc6AsJuwueEnWgSgucamXDZwBd53dQ11YiKX3: {
    nonce: 0,
    token: 8,
    amount: 40,
    depositor: 48,
    recipient: 80,
    domain: 112,
  },
  // Version 2 has no number here.
  CCTPV2vPZJS2u2BBsUoscuikbYjnpFmbFsvVuJdgUMQe: {
    nonce: null,
    token: 0,
    amount: 32,
    depositor: 40,
    recipient: 72,
    domain: 104,
  },
};
const RECEIPTS: Readonly<Record<string, ReceiptLayout>> = {
  CCTPmbSD7gX1bxKPAmg77w8oFzNFpaQiQUWD43TKaecd: { domain: 32, nonce: 36, sender: 44, body: 76 },
  CCTPV2Sm4AdWt5296sk4P66VBZ7bEhcARwFaaS9YPbeC: { domain: 32, nonce: null, sender: 68, body: 104 },
};
export const CCTP_PROGRAMS: readonly string[] = [...Object.keys(DEPOSITS), ...Object.keys(RECEIPTS)];

// Anchor programs emit events by calling themselves: this tag, the event's own, its fields. They accept such a
// call from nobody else.
const EVENT_CALL = 'e445a52e51cb9a1d';
const DEPOSITED = EVENT_CALL + markOf('DepositForBurn');
const RECEIVED = EVENT_CALL + markOf('MessageReceived');

/** Decodes the calls of CCTP's programs. Throws a RangeError if an event is cut off. */
export const readCctpCalls = (calls: readonly BridgeCall[], context: BridgeContext): BridgeReading[] => {
  const callers = new Map<string, BridgeCall>();
  const delivered = new Set<Movement>();
  return calls.flatMap((call) => {
    const caller = callers.get(call.program);
    callers.set(call.program, call);
    return caller === undefined ? [] : readEvent(call, caller, delivered, context);
  });
};

/** `caller`: the call that emits it, the last one of its program; `delivered`: rows used by earlier events. */
const readEvent = (
  { program, data }: BridgeCall,
  caller: BridgeCall,
  delivered: Set<Movement>,
  context: BridgeContext,
): BridgeReading[] => {
  const mark = data.toString('hex', 0, 2 * MARK_BYTES);
  const fields = data.subarray(2 * MARK_BYTES);
  const deposit = mark === DEPOSITED ? DEPOSITS[program] : undefined;
  const receipt = mark === RECEIVED ? RECEIPTS[program] : undefined;
  const transfer =
    (deposit && readDeposit(fields, deposit, context)) ??
    (receipt && readReceipt(fields, receipt, caller, delivered, context));
  if (!transfer) return [];
  const { from, asset, amountRaw } = transfer;
  const isBurnt = (row: Movement): boolean =>
    row.kind === 'burn' && row.from === from && row.asset === asset && row.amountRaw === amountRaw;
  return [{ program, transfer, taken: findOwn(caller, context.movements, isBurnt) }];
};

type Told = Omit<BridgeTransfer, 'txIndex' | 'index'>;

const wordAt = (fields: Buffer, at: number): string => {
  if (at + 32 > fields.length) throw new RangeError('the event is cut off');
  return fields.toString('hex', at, at + 32);
};

const readDeposit = (fields: Buffer, at: DepositLayout, { chain }: BridgeContext): Told | null => {
  const destinationDomain = fields.readUInt32LE(at.domain);
  const far = chainNumbered('cctp', destinationDomain);
  const sourceDomain = numberOfChain('cctp', chain);
  if (sourceDomain === null) return null;
  const [recipient, amountRaw] = [wordAt(fields, at.recipient), fields.readBigUInt64LE(at.amount)];
  const burn = {
    sourceDomain,
    destinationDomain,
    recipient,
    burntRaw: amountRaw,
    token: wordAt(fields, at.token),
    sender: wordAt(fields, at.depositor),
  };
  return {
    bridge: 'cctp',
    side: 'deposit',
    farChain: far?.name ?? null,
    messageId:
      at.nonce === null ? cctpContentId(burn) : cctpMessageId(sourceDomain, fields.readBigUInt64LE(at.nonce)),
    from: encodeBase58(fields, at.depositor, 32),
    to: toChainAddress(far, recipient),
    asset: encodeBase58(fields, at.token, 32),
    amountRaw,
  };
};

/**
 * A message moves money if Circle's messenger sent it and its own call issued that money to the named token
 * account, for no other message: anybody's program may redeem one while it receives its own.
 */
const readReceipt = (
  fields: Buffer,
  at: ReceiptLayout,
  caller: BridgeCall,
  delivered: Set<Movement>,
  context: BridgeContext,
): Told | null => {
  const sourceDomain = fields.readUInt32LE(at.domain);
  const destinationDomain = numberOfChain('cctp', context.chain);
  const [near, far] = [findChain(context.chain), chainNumbered('cctp', sourceDomain)];
  if (!isOfMessenger(wordAt(fields, at.sender), far, at.nonce === null ? 2 : 1)) return null;
  const start = at.body + 4;
  const message = readBurnMessage(fields.subarray(start, start + fields.readUInt32LE(at.body)));
  const asset = near && issuedByCctp(near);
  if (message === null || asset === null || destinationDomain === null) return null;
  const to = caller.holdings.get(toChainAddress(near, message.recipient) ?? '')?.owner;
  const issued = findOwn(
    caller,
    context.movements,
    (row) =>
      row.kind === 'mint' &&
      row.to === to &&
      row.asset === asset &&
      row.amountRaw === message.amountRaw &&
      !delivered.has(row),
  );
  const row = context.movements[issued ?? -1];
  if (to === undefined || row === undefined) return null;
  delivered.add(row);
  return {
    bridge: 'cctp',
    side: 'delivery',
    farChain: far?.name ?? null,
    messageId:
      at.nonce === null
        ? cctpContentId({ ...message, sourceDomain, destinationDomain })
        : cctpMessageId(sourceDomain, fields.readBigUInt64LE(at.nonce)),
    from: toChainAddress(far, message.sender),
    to,
    asset,
    amountRaw: message.amountRaw,
  };
};
