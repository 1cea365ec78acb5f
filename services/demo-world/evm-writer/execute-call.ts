import { NATIVE } from '../../investigate/model/movement.ts';
import type { Call, Move } from '../writer.ts';
import {
  addressTopic,
  addressWord,
  DEPOSIT_TOPIC,
  encodeCall,
  TRANSFER_TOPIC,
  WETH,
  WITHDRAWAL_TOPIC,
  word,
  ZERO_ADDRESS,
} from './abi.ts';
import { runControl } from './control-moves.ts';
import { addFrame, type Frame, type Log, newFrame } from './frames.ts';
import type { Ledger } from './ledger.ts';
import { orderLog } from './order-log.ts';

/** What a transaction left behind: its trace and its logs. */
export type Executed = { readonly top: Frame; readonly logs: Log[] };

type Running = {
  readonly ledger: Ledger;
  readonly sender: string;
  readonly program: string;
  readonly top: Frame;
  readonly logs: Log[];
};

const transferLog = (asset: string, from: string, to: string, amountRaw: bigint): Log => ({
  address: asset,
  topics: [TRANSFER_TOPIC, addressTopic(from), addressTopic(to)],
  data: `0x${word(amountRaw)}`,
});

/** The frame in which `caller` acts: the program's own, or a nested one. */
const frameOf = (running: Running, caller: string): Frame =>
  caller === running.program
    ? running.top
    : addFrame(running.top, newFrame(running.program, caller, 0n, encodeCall('pay')));

const transferInput = (caller: string, move: Move & { type: 'transfer' }): string =>
  caller === move.from
    ? encodeCall('transfer', addressWord(move.to), word(move.amountRaw))
    : encodeCall('transferFrom', addressWord(move.from), addressWord(move.to), word(move.amountRaw));

const runTransfer = (running: Running, move: Move & { type: 'transfer' }): void => {
  const { ledger, sender, program, top } = running;
  const { from, to, asset, amountRaw } = move;
  ledger.move(from, to, asset, amountRaw);
  if (asset !== NATIVE) {
    // An approved program moves a person's tokens; a contract moves its own.
    const caller = from === sender || move.authority !== undefined ? program : from;
    addFrame(frameOf(running, caller), newFrame(caller, asset, 0n, transferInput(caller, move)));
    running.logs.push(transferLog(asset, from, to, amountRaw));
    return;
  }
  if (from === sender) {
    if (to !== program || top.value !== '0x0') throw new RangeError('a sender pays the called program, once');
    top.value = `0x${amountRaw.toString(16)}`;
    return;
  }
  addFrame(frameOf(running, from), newFrame(from, to, amountRaw, '0x'));
};

const runWrap = (running: Running, move: Move & { type: 'wrap' | 'unwrap' }): void => {
  const { ledger } = running;
  const { owner, amountRaw } = move;
  const frame = frameOf(running, owner);
  const log = (topic: string): Log => ({
    address: WETH,
    topics: [topic, addressTopic(owner)],
    data: `0x${word(amountRaw)}`,
  });
  if (move.type === 'wrap') {
    ledger.move(owner, WETH, NATIVE, amountRaw);
    ledger.add(owner, WETH, amountRaw);
    addFrame(frame, newFrame(owner, WETH, amountRaw, encodeCall('wrap')));
    running.logs.push(log(DEPOSIT_TOPIC));
    return;
  }
  ledger.add(owner, WETH, -amountRaw);
  ledger.move(WETH, owner, NATIVE, amountRaw);
  const call = addFrame(frame, newFrame(owner, WETH, 0n, encodeCall('unwrap', word(amountRaw))));
  addFrame(call, newFrame(WETH, owner, amountRaw, '0x'));
  running.logs.push(log(WITHDRAWAL_TOPIC));
};

const runMove = (running: Running, move: Move): void => {
  const { ledger, program, top, logs } = running;
  if (move.type === 'transfer') {
    runTransfer(running, move);
  } else if (move.type === 'wrap' || move.type === 'unwrap') {
    runWrap(running, move);
  } else if (move.type === 'mint') {
    ledger.add(move.to, move.asset, move.amountRaw);
    addFrame(top, newFrame(program, move.asset, 0n, encodeCall('mint', addressWord(move.to))));
    logs.push(transferLog(move.asset, ZERO_ADDRESS, move.to, move.amountRaw));
  } else if (move.type === 'burn') {
    ledger.add(move.from, move.asset, -move.amountRaw);
    addFrame(top, newFrame(program, move.asset, 0n, encodeCall('burn', word(move.amountRaw))));
    logs.push(transferLog(move.asset, move.from, ZERO_ADDRESS, move.amountRaw));
  } else if (move.type === 'approve') {
    throw new RangeError('only an owner itself approves');
  } else {
    const { frame, log } = runControl(program, move);
    addFrame(top, frame);
    logs.push(log);
  }
};

/** A person's direct call without a program: payment, token transfer, approval, wrap. */
const runDirect = (ledger: Ledger, sender: string, move: Move): Executed => {
  const direct = (to: string, input: string, logs: Log[], value = 0n): Executed => ({
    top: newFrame(sender, to, value, input),
    logs,
  });
  if (move.type === 'transfer') {
    ledger.move(move.from, move.to, move.asset, move.amountRaw);
    if (move.asset === NATIVE) return direct(move.to, '0x', [], move.amountRaw);
    const log = transferLog(move.asset, move.from, move.to, move.amountRaw);
    return direct(move.asset, transferInput(sender, move), [log]);
  }
  if (move.type === 'wrap') {
    ledger.move(sender, WETH, NATIVE, move.amountRaw);
    ledger.add(sender, WETH, move.amountRaw);
    const log = {
      address: WETH,
      topics: [DEPOSIT_TOPIC, addressTopic(sender)],
      data: `0x${word(move.amountRaw)}`,
    };
    return direct(WETH, encodeCall('wrap'), [log], move.amountRaw);
  }
  if (move.type === 'unwrap') {
    ledger.add(sender, WETH, -move.amountRaw);
    ledger.move(WETH, sender, NATIVE, move.amountRaw);
    const log = {
      address: WETH,
      topics: [WITHDRAWAL_TOPIC, addressTopic(sender)],
      data: `0x${word(move.amountRaw)}`,
    };
    const executed = direct(WETH, encodeCall('unwrap', word(move.amountRaw)), [log]);
    addFrame(executed.top, newFrame(WETH, sender, move.amountRaw, '0x'));
    return executed;
  }
  if (move.type === 'mint' || move.type === 'burn') throw new RangeError(`${move.type} needs a program`);
  const { frame: top, log } = runControl(sender, move);
  return { top, logs: [log] };
};

/** Runs a transaction's call. Throws what the ledger throws; the caller undoes changes. */
export const executeCall = (ledger: Ledger, sender: string, call: Call): Executed => {
  const { program, method = 'call', moves } = call;
  const [first, ...more] = moves;
  if (program === undefined) {
    if (first === undefined || more.length > 0) throw new RangeError('one direct move a transaction');
    return runDirect(ledger, sender, first);
  }
  const input = encodeCall(method, addressWord(sender), word(BigInt(moves.length)));
  const running: Running = {
    ledger,
    sender,
    program,
    top: newFrame(sender, program, 0n, input),
    logs: [],
  };
  for (const move of moves) runMove(running, move);
  if (call.order !== undefined) running.logs.push(orderLog(program, sender, call.order));
  return running;
};
