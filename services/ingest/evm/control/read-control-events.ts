import type { ControlEvent } from '../../../investigate/model/control-event.ts';
import type { AddressBook } from '../address-book.ts';
import type { RawObject } from '../read-hex.ts';
import type { Log } from '../read-log.ts';
import type { CallTrace } from '../walk-call-trace.ts';
import { findDelegations } from './delegations.ts';
import { findControlEvents } from './find-control-events.ts';

type Ran = {
  readonly txIndex: number;
  readonly tx: RawObject;
  readonly receipt: RawObject;
  readonly sender: string;
  readonly trace: CallTrace | null;
  readonly logs: readonly Log[];
  /** Whether it succeeded. Delegations stay even if it did not. */
  readonly isDone: boolean;
};

type Context = { readonly chain: string; readonly addresses: AddressBook };

const NONE: readonly ControlEvent[] = [];

/** The control events of one transaction. */
export const readControlEvents = (ran: Ran, { chain, addresses }: Context): readonly ControlEvent[] => {
  const { txIndex, tx, sender, trace, logs } = ran;
  const delegations = findDelegations({ tx, sender, addresses });
  const creations = trace?.creations ?? ownCreation(ran, addresses);
  if (delegations.length + creations.length + logs.length === 0) return NONE;
  const calls = trace?.tokenCalls ?? null;
  const context = { chain, addresses, sender, calls, input: inputOf(tx) };
  return findControlEvents(txIndex, { delegations, creations, logs }, context);
};

/** The contract that the transaction itself created. Contracts created by that one appear only in a trace. */
const ownCreation = (
  { tx, receipt, sender, isDone }: Ran,
  addresses: AddressBook,
): CallTrace['creations'] => {
  if (!isDone || (tx.to !== null && tx.to !== undefined)) return [];
  const contract =
    typeof receipt.contractAddress === 'string' ? addresses.find(receipt.contractAddress) : null;
  return contract === null ? [] : [{ contract, creator: sender }];
};

export const inputOf = (tx: RawObject): string => {
  const input = tx.input ?? tx.data;
  return typeof input === 'string' ? input : '0x';
};
