import { BlockFormatError } from '../block-format-error.ts';
import type { AddressBook } from './address-book.ts';
import type { ChainRules } from './chain-rules.ts';
import {
  malformed,
  type RawObject,
  readArray,
  readObject,
  readQuantity,
  readQuantityOr,
} from './read-hex.ts';
import { createTokenCalls, type TokenCalls } from './token-calls.ts';

/** A movement of the coin that a call frame made. `to` is null where it was destroyed. */
export type ValueMove = { readonly from: string; readonly to: string | null; readonly weiRaw: bigint };

export type CallTrace = {
  /** In the order of execution; those below an error are not there. */
  readonly moves: readonly ValueMove[];
  readonly tokenCalls: TokenCalls;
  readonly failed: boolean;
};

const NULL_ADDRESS = '0x0000000000000000000000000000000000000000';

/** The EVM allows 1,024; anything deeper is no trace and would exhaust our stack. */
const DEPTH_MAX = 1_100;

/**
 * What one transaction's callTracer result says: value moves with CALL, CREATE, CREATE2 and SELFDESTRUCT frames that
 * have no error and none above them. DELEGATECALL and CALLCODE run foreign code on the caller's own balance. What a frame
 * of any other type moved is not known, so such a trace is malformed.
 *
 * An account that self-destructs ends with the transaction, and with it what it was sent after: `burn`. Since Cancun
 * (EIP-6780) only one made by the same transaction ends. `escrow`: where a ticket leaves what it is to carry; how that
 * comes back is in no frame, so it counts as its sender's meanwhile. Throws `BlockFormatError`.
 */
export const walkCallTrace = (
  top: RawObject,
  { cancun, addresses, rules }: TraceContext,
  escrow: string | null,
): CallTrace => {
  const walk: Walk = {
    cancun,
    addresses,
    rules,
    escrow,
    moves: [],
    tokenCalls: createTokenCalls(),
    created: null,
    ended: null,
  };
  visit(walk, top, 0, null);
  if (rules.systemFrame !== null) addHandedBack(walk, top);
  for (const [account, weiRaw] of walk.ended ?? []) {
    if (weiRaw > 0n) walk.moves.push({ from: account, to: null, weiRaw });
  }
  return { moves: walk.moves, tokenCalls: walk.tokenCalls, failed: hasError(top) };
};

type TraceContext = {
  /** Whether self-destruction ends only accounts of the same transaction. */
  readonly cancun: boolean;
  readonly addresses: AddressBook;
  readonly rules: ChainRules;
};

type Walk = TraceContext & {
  readonly escrow: string | null;
  readonly moves: ValueMove[];
  readonly tokenCalls: TokenCalls;
  /** null until there is one, as in most transactions. */
  created: Set<string> | null;
  /** Accounts that end with the transaction, with what they hold again; null until there is one. */
  ended: Map<string, bigint> | null;
};

const hasError = (frame: RawObject): boolean => frame.error !== undefined && frame.error !== null;

const visit = (walk: Walk, frame: RawObject, depth: number, caller: RawObject | null): void => {
  if (depth > DEPTH_MAX)
    throw new BlockFormatError('too_deep', `calls are nested more than ${DEPTH_MAX} deep`);
  if (hasError(frame)) return;
  const type = frame.type;
  if (type === 'CALL') visitCall(walk, frame);
  else if (type === 'SELFDESTRUCT') visitSelfDestruct(walk, frame, caller);
  else if (type === 'CREATE' || type === 'CREATE2') {
    walk.created ??= new Set();
    walk.created.add(walk.addresses.read(frame.to, 'to of a create frame'));
    moveValue(walk, frame);
  } else if (depth === 0 || (type !== 'DELEGATECALL' && type !== 'STATICCALL' && type !== 'CALLCODE'))
    visitSystemFrame(walk, frame);
  const calls = frame.calls;
  if (calls === undefined || calls === null) return;
  for (const call of readArray(calls, 'calls'))
    visit(walk, readObject(call, 'a call frame'), depth + 1, frame);
};

const visitCall = (walk: Walk, frame: RawObject): void => {
  const input = frame.input;
  if (typeof input === 'string' && input.length >= 10) walk.tokenCalls.add(frame.from, frame.to, input);
  moveValue(walk, frame);
};

/**
 * No transaction begins so, and within one only the chain's own code moves coins by another type of frame. What it issues
 * comes from the null address here and what it destroys goes there: transaction and log tell of those.
 */
const visitSystemFrame = (walk: Walk, frame: RawObject): void => {
  if (typeof frame.type !== 'string' || frame.type !== walk.rules.systemFrame)
    throw malformed('type of a call frame', frame.type);
  const from = walk.addresses.read(frame.from, 'from of a system frame');
  const to = walk.addresses.read(frame.to, 'to of a system frame');
  if (from !== NULL_ADDRESS && to !== NULL_ADDRESS && to !== walk.escrow) moveValue(walk, frame);
};

/** Of what ArbOS moves when a transaction has run, what has both sides: refunds. What has one is of the fee. */
const addHandedBack = (walk: Walk, top: RawObject): void => {
  for (const raw of readArray(top.afterEVMTransfers ?? [], 'afterEVMTransfers')) {
    const transfer = readObject(raw, 'a transfer after the call');
    if (typeof transfer.from === 'string' && typeof transfer.to === 'string') moveValue(walk, transfer);
  }
};

const moveValue = (walk: Walk, frame: RawObject): void => {
  const weiRaw = readQuantityOr(frame.value, 'value of a call frame', 0n);
  if (weiRaw === 0n) return;
  const from = walk.addresses.read(frame.from, 'from of a call frame');
  const to = walk.addresses.read(frame.to, 'to of a call frame');
  walk.moves.push({ from, to, weiRaw });
  keepEnded(walk, from, to, weiRaw);
};

const keepEnded = ({ ended }: Walk, from: string, to: string, weiRaw: bigint): void => {
  if (ended === null) return;
  const left = ended.get(from);
  if (left !== undefined) ended.set(from, left - weiRaw);
  const held = ended.get(to);
  if (held !== undefined) ended.set(to, held + weiRaw);
};

const visitSelfDestruct = (walk: Walk, frame: RawObject, caller: RawObject | null): void => {
  const from = walk.addresses.read(frame.from, 'from of a self-destruct frame');
  const account = caller === null ? from : accountOf(walk, caller);
  if (from !== account && isOfNothing(walk, frame, account)) return;
  if (from !== account)
    throw new BlockFormatError('trace_contradicts', 'a self-destruct is told of another account than runs');
  const to = walk.addresses.read(frame.to, 'to of a self-destruct frame');
  const weiRaw = readQuantity(frame.value, 'value of a self-destruct frame');
  const ends = !walk.cancun || walk.created?.has(from) === true;
  if (from !== to) {
    if (weiRaw > 0n) walk.moves.push({ from, to, weiRaw });
    keepEnded(walk, from, to, weiRaw);
  } else if (ends && weiRaw > 0n) walk.moves.push({ from, to: null, weiRaw });
  // Whatever the account held has gone: only what it is sent from here on is destroyed when it ends.
  if (!ends) return;
  walk.ended ??= new Map();
  walk.ended.set(from, 0n);
};

/** The account that a frame's code runs for. */
const accountOf = ({ addresses }: Walk, { type, from, to }: RawObject): string =>
  type === 'DELEGATECALL' || type === 'CALLCODE'
    ? addresses.read(from, 'from of a call frame')
    : addresses.read(to, 'to of a call frame');

/**
 * Since Cancun an older account that destroys itself to itself changes nothing. Of that clients made of revm tell what it noted before: the last
 * payment once more, or nothing. https://github.com/bluealloy/revm/issues/3834
 */
const isOfNothing = (walk: Walk, { from, to, value }: RawObject, account: string): boolean => {
  if (!walk.cancun || walk.created?.has(account)) return false;
  const weiRaw = readQuantityOr(value, 'value of a self-destruct frame', 0n);
  const last = walk.moves.at(-1);
  return weiRaw === 0n || (last?.weiRaw === weiRaw && last.from === from && (last.to ?? last.from) === to);
};
