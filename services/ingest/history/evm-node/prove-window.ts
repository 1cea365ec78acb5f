import { COIN_KINDS, type HistoryKind } from '../../../investigate/model/history.ts';
import { NATIVE } from '../../../investigate/model/movement.ts';
import type { RpcCall } from '../../evm/evm-rpc.ts';
import { hex } from '../../evm/fetch-logs.ts';
import { readQuantity } from '../../evm/read-hex.ts';
import { failureOf, resultOf } from '../../evm/rpc-answer.ts';
import { decodeAnswer } from '../../nodes/decode-answer.ts';
import type { ProofQuestion } from '../history-source.ts';
import type { Ask } from './ask-node.ts';

/** Code of an account whose owner let a contract act for it (EIP-7702). */
const DELEGATED = '0xef0100';

/**
 * The kinds of which a window can lack nothing. The nonce counts what an account sent. The balance then leaves no
 * room for coin that came unseen: whatever left the account was sent by it. Contracts and delegated accounts pay
 * without a nonce, so of those the node must list all calls as well: in the word of somebody else's index what came
 * in and what went out may be missing together.
 */
export const proveWindow = async (
  ask: Ask,
  { address, first, last, wanted, listedByNode, transactions }: ProofQuestion,
  signal: AbortSignal,
): Promise<readonly HistoryKind[]> => {
  if (!wanted.some((kind) => COIN_KINDS.includes(kind))) return [];
  const states = await askStates(ask, address, { first, last }, signal);
  if (states === null) return [];
  const { opening, closing } = states;
  const sent = transactions.filter(({ sender }) => sender === address).length;
  const isPlain = opening.code === '0x' && closing.code === '0x';
  const isSentProved = isPlain && closing.nonce - opening.nonce === BigInt(sent);
  const isCounted = transactions.every(({ lacks }) => lacks === null);
  const addsUp = opening.balanceRaw + changeOf(transactions, address) === closing.balanceRaw;
  if (addsUp && isCounted && (isSentProved || listedByNode.includes('internal'))) return COIN_KINDS;
  return isSentProved ? ['sent'] : [];
};

/** The change of the coin balance by the rows, in wei. */
const changeOf = (transactions: ProofQuestion['transactions'], address: string): bigint =>
  transactions
    .flatMap(({ block }) => block?.movements ?? [])
    .reduce((sum, { asset, from, to, amountRaw }) => {
      if (asset !== NATIVE) return sum;
      return sum + (to === address ? amountRaw : 0n) - (from === address ? amountRaw : 0n);
    }, 0n);

type State = { readonly nonce: bigint; readonly balanceRaw: bigint; readonly code: string };
const UNBORN: State = { nonce: 0n, balanceRaw: 0n, code: '0x' };
const STATE_METHODS = ['eth_getTransactionCount', 'eth_getBalance', 'eth_getCode'];

/** Before the first block and after the last; null if the node does not keep them. */
const askStates = async (
  ask: Ask,
  address: string,
  { first, last }: { readonly first: number; readonly last: number },
  signal: AbortSignal,
): Promise<{ opening: State; closing: State } | null> => {
  const callsAt = (block: number): RpcCall[] =>
    STATE_METHODS.map((method) => ({ method, params: [address, hex(block)] }));
  const calls = [...callsAt(last), ...(first > 0 ? callsAt(first - 1) : [])];
  const answers = await ask(calls, signal);
  const stateOf = (start: number): State | null => {
    const [nonce, balance, code] = answers.slice(start, start + STATE_METHODS.length);
    if (failureOf(balance) !== null) return null;
    return {
      // Without it only what is sent stays unproved.
      nonce: failureOf(nonce) ? -1n : decodeAnswer(() => readQuantity(resultOf(nonce), 'nonce')),
      balanceRaw: decodeAnswer(() => readQuantity(resultOf(balance), 'balance')),
      code: failureOf(code) ? DELEGATED : String(resultOf(code)),
    };
  };
  const closing = stateOf(0);
  const opening = first > 0 ? stateOf(STATE_METHODS.length) : UNBORN;
  return closing && opening && { closing, opening };
};
