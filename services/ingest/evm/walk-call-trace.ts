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

/** A coin movement of a call frame. `to` is null if it was burnt. */
export type ValueMove = { readonly from: string; readonly to: string | null; readonly weiRaw: bigint };

/** A contract, and who ran CREATE or CREATE2 for it. */
export type Creation = { readonly contract: string; readonly creator: string };

export type CallTrace = {
  /** In execution order, without frames below an error. */
  readonly moves: readonly ValueMove[];
  /** In the order in which they began. */
  readonly creations: readonly Creation[];
  readonly tokenCalls: TokenCalls;
  readonly failed: boolean;
  /** Calls listed although their caller stopped at them: they moved nothing. */
  readonly notEntered: number;
};

const NULL_ADDRESS = '0x0000000000000000000000000000000000000000';

/** The EVM allows 1,024; deeper traces are invalid and would exhaust our stack. */
const DEPTH_MAX = 1_100;

/**
 * Value movements of one transaction by its callTracer result: value moves with CALL, CREATE, CREATE2 and
 * SELFDESTRUCT frames that have no error and none above them. DELEGATECALL and CALLCODE run foreign code on
 * the caller's own balance. Movements of other frame types are unknown, so such a trace is malformed.
 */
export const walkCallTrace = (
  top: RawObject,
  { cancun, amsterdam, blockNumber, addresses, rules }: TraceContext,
  escrow: string | null,
): CallTrace => {
  const walk: Walk = {
    cancun,
    amsterdam,
    blockNumber,
    addresses,
    rules,
    escrow,
    isGasTold: isTold(top.gas),
    notEntered: 0,
    moves: [],
    creations: [],
    tokenCalls: createTokenCalls(),
    created: null,
    ended: null,
  };
  visit(walk, top, 0, TOP);
  if (rules.systemFrame !== null) addHandedBack(walk, top);
  for (const [account, weiRaw] of walk.ended ?? []) {
    if (weiRaw > 0n) walk.moves.push({ from: account, to: null, weiRaw });
  }
  const { moves, creations, tokenCalls, notEntered } = walk;
  return { moves, creations, tokenCalls, failed: hasFailed(walk, top), notEntered };
};

type TraceContext = {
  /** Whether self-destruction ends only accounts of the same transaction. */
  readonly cancun: boolean;
  /** Whether self-destruction ends no account that holds something. */
  readonly amsterdam: boolean;
  readonly blockNumber: number;
  readonly addresses: AddressBook;
  readonly rules: ChainRules;
};

type Walk = TraceContext & {
  readonly isGasTold: boolean;
  notEntered: number;
  readonly escrow: string | null;
  readonly moves: ValueMove[];
  readonly creations: Creation[];
  readonly tokenCalls: TokenCalls;
  /** null until there is one, because most transactions have none. */
  created: Set<string> | null;
  /** Accounts that end with the transaction, and what they hold now; null until there is one. */
  ended: Map<string, bigint> | null;
};

/** The context of a frame's code. */
type Caller = {
  /** The account whose balance the code uses; null if unknown. */
  readonly account: string | null;
  /** Whether nothing may change (EIP-214). */
  readonly isStatic: boolean;
};
const TOP: Caller = { account: null, isStatic: false };

const isTold = (value: unknown): boolean => value !== undefined && value !== null;

/** Some nodes report an empty error for success, or only the reason. */
const hasError = ({ error, revertReason }: RawObject): boolean =>
  (isTold(error) && error !== '') || (isTold(revertReason) && revertReason !== '');

/**
 * Before Homestead an account without enough gas to store its code was created without it and kept its value
 * (EIP-2). Other out-of-gas failures leave no gas.
 */
const hasFailed = (walk: Walk, frame: RawObject): boolean => {
  if (!hasError(frame)) return false;
  if (walk.blockNumber >= walk.rules.homesteadFrom || !isCreation(frame.type)) return true;
  if (typeof frame.error !== 'string' || !/out of gas/i.test(frame.error)) return true;
  if (/code storage/i.test(frame.error)) return false;
  const gas = readQuantityOr(frame.gas, 'gas of a call frame', 0n);
  return readQuantityOr(frame.gasUsed, 'gasUsed of a call frame', gas) >= gas;
};

const isCreation = (type: unknown): boolean => type === 'CREATE' || type === 'CREATE2';

/** Some tracers list a call before it begins. A call that began has its gas or, without code, its output. */
const isNotEntered = ({ isGasTold }: Walk, { type, gas, gasUsed, output, calls }: RawObject): boolean =>
  isGasTold && type !== 'SELFDESTRUCT' && ![gas, gasUsed, output, calls].some(isTold);

const contradicts = (message: string): BlockFormatError => new BlockFormatError('trace_contradicts', message);

const visit = (walk: Walk, frame: RawObject, depth: number, caller: Caller): void => {
  if (depth > DEPTH_MAX)
    throw new BlockFormatError('too_deep', `calls are nested more than ${DEPTH_MAX} deep`);
  if (hasFailed(walk, frame)) return;
  const type = frame.type;
  if (isNotEntered(walk, frame) && type !== walk.rules.systemFrame) {
    walk.notEntered++;
    return;
  }
  if (type === 'CALL') visitCall(walk, frame, caller);
  else if (type === 'SELFDESTRUCT') visitSelfDestruct(walk, frame, caller);
  else if (isCreation(type)) {
    walk.created ??= new Set();
    const contract = walk.addresses.read(frame.to, 'to of a create frame');
    walk.created.add(contract);
    walk.creations.push({ contract, creator: walk.addresses.read(frame.from, 'from of a create frame') });
    refuseStatic(caller);
    moveValue(walk, frame, caller);
  } else if (depth === 0 || (type !== 'DELEGATECALL' && type !== 'STATICCALL' && type !== 'CALLCODE'))
    visitSystemFrame(walk, frame);
  if (isTold(frame.calls)) visitCalls(walk, frame, depth, caller);
};

const visitCalls = (walk: Walk, frame: RawObject, depth: number, caller: Caller): void => {
  const calls = readArray(frame.calls, 'calls');
  if (calls.length === 0) return;
  const running = runningIn(walk, frame, caller);
  let hasEnded = frame.type === 'SELFDESTRUCT';
  for (const raw of calls) {
    const call = readObject(raw, 'a call frame');
    if (hasEnded) throw contradicts('a call is listed after the self-destruct that ended its code');
    visit(walk, call, depth + 1, running);
    hasEnded = call.type === 'SELFDESTRUCT' && !hasError(call);
  }
};

/** Borrowed code runs for the borrowing account. */
const runningIn = ({ addresses }: Walk, { type, from, to }: RawObject, caller: Caller): Caller => {
  const isStatic = caller.isStatic || type === 'STATICCALL';
  if (type === 'DELEGATECALL' || type === 'CALLCODE')
    return { account: caller.account ?? addresses.read(from, 'from of a call frame'), isStatic };
  if (type === 'CALL' || type === 'STATICCALL' || isCreation(type))
    return { account: addresses.read(to, 'to of a call frame'), isStatic };
  return { account: null, isStatic };
};

const refuseStatic = ({ isStatic }: Caller): void => {
  if (isStatic) throw contradicts('a static call changed something');
};

const visitCall = (walk: Walk, frame: RawObject, caller: Caller): void => {
  const input = frame.input;
  if (typeof input === 'string' && input.length >= 10) walk.tokenCalls.add(frame.from, frame.to, input);
  moveValue(walk, frame, caller);
};

/**
 * No transaction begins with such a frame. Inside one, only the chain's own code moves coins by another frame
 * type. It issues from the null address and burns to it, and the transaction and its logs show those
 * movements.
 */
const visitSystemFrame = (walk: Walk, frame: RawObject): void => {
  if (typeof frame.type !== 'string' || frame.type !== walk.rules.systemFrame)
    throw malformed('type of a call frame', frame.type);
  const from = walk.addresses.read(frame.from, 'from of a system frame');
  const to = walk.addresses.read(frame.to, 'to of a system frame');
  if (from !== NULL_ADDRESS && to !== NULL_ADDRESS && to !== walk.escrow) moveValue(walk, frame, TOP);
};

/** Of ArbOS's movements after a transaction, those with both sides are refunds; those with one belong to the fee. */
const addHandedBack = (walk: Walk, top: RawObject): void => {
  for (const raw of readArray(top.afterEVMTransfers ?? [], 'afterEVMTransfers')) {
    const transfer = readObject(raw, 'a transfer after the call');
    if (typeof transfer.from === 'string' && typeof transfer.to === 'string') moveValue(walk, transfer, TOP);
  }
};

const moveValue = (walk: Walk, frame: RawObject, caller: Caller): void => {
  const weiRaw = readQuantityOr(frame.value, 'value of a call frame', 0n);
  if (weiRaw === 0n) return;
  refuseStatic(caller);
  refuseTooMuch(walk, weiRaw);
  const from = walk.addresses.read(frame.from, 'from of a call frame');
  if (caller.account !== null && from !== caller.account)
    throw contradicts('a call pays from another account than the one that runs');
  const to = walk.addresses.read(frame.to, 'to of a call frame');
  walk.moves.push({ from, to, weiRaw });
  keepEnded(walk, from, to, weiRaw);
};

const refuseTooMuch = ({ rules }: Walk, weiRaw: bigint): void => {
  if (weiRaw > rules.supplyMaxRaw) throw contradicts('a call moves more coins than there are');
};

const keepEnded = ({ ended }: Walk, from: string, to: string, weiRaw: bigint): void => {
  if (ended === null) return;
  const left = ended.get(from);
  if (left !== undefined) ended.set(from, left - weiRaw);
  const held = ended.get(to);
  if (held !== undefined) ended.set(to, held + weiRaw);
};

const visitSelfDestruct = (walk: Walk, frame: RawObject, caller: Caller): void => {
  refuseStatic(caller);
  const from = walk.addresses.read(frame.from, 'from of a self-destruct frame');
  const account = caller.account ?? from;
  if (from !== account && isOfNothing(walk, frame, account)) return;
  if (from !== account)
    throw contradicts('a self-destruct is listed for another account than the one that runs');
  const to = walk.addresses.read(frame.to, 'to of a self-destruct frame');
  const weiRaw = readQuantity(frame.value, 'value of a self-destruct frame');
  refuseTooMuch(walk, weiRaw);
  const ends = !walk.amsterdam && (!walk.cancun || walk.created?.has(from) === true);
  if (from !== to) {
    if (weiRaw > 0n) walk.moves.push({ from, to, weiRaw });
    keepEnded(walk, from, to, weiRaw);
  } else if (ends && weiRaw > 0n) walk.moves.push({ from, to: null, weiRaw });
  // The account's balance has gone: only later arrivals are burnt when it ends.
  if (!ends) return;
  walk.ended ??= new Map();
  walk.ended.set(from, 0n);
};

/**
 * Since Cancun an older account's self-destruct to itself changes nothing. Clients made of revm repeat the last
 * payment there, or omit it. https://github.com/bluealloy/revm/issues/3834
 */
const isOfNothing = (walk: Walk, { from, to, value }: RawObject, account: string): boolean => {
  if (!walk.cancun || walk.created?.has(account)) return false;
  const weiRaw = readQuantityOr(value, 'value of a self-destruct frame', 0n);
  const last = walk.moves.at(-1);
  return weiRaw === 0n || (last?.weiRaw === weiRaw && last.from === from && (last.to ?? last.from) === to);
};
