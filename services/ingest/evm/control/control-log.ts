import type { ControlEvent } from '../../../investigate/model/control-event.ts';
import type { AddressBook } from '../address-book.ts';
import type { Log } from '../read-log.ts';
import type { TokenCalls } from '../token-calls.ts';

export type ControlDraft = Omit<ControlEvent, 'txIndex' | 'index'>;

export type ControlContext = {
  readonly chain: string;
  readonly addresses: AddressBook;
  /** The transaction's sender. */
  readonly sender: string;
  /** null without a trace. */
  readonly calls: TokenCalls | null;
  /** The transaction's input, `0x` and hex. */
  readonly input: string;
};

/** An event of any contract, and what it tells. */
export type ControlLog = {
  readonly topic: string;
  /** null if the log has another form, or does not concern control. */
  readonly read: (log: Log, context: ControlContext) => ControlDraft | null;
};

const NULL_ADDRESS = '0x0000000000000000000000000000000000000000';

/** The address in a word; null for the null address, undefined if it is no address. */
export const partyIn = (word: string, { addresses }: ControlContext): string | null | undefined => {
  const address = addresses.ofWord(word);
  return address === null ? undefined : address === NULL_ADDRESS ? null : address;
};

/**
 * Whether `holder` sent the transaction, or called the logging contract: others send a smart account's
 * transactions.
 */
export const isByHolder = (holder: string | null, contract: string, context: ControlContext): boolean =>
  holder !== null && (holder === context.sender || (context.calls?.hasCalled(contract, holder) ?? false));

/** Fields that most events leave open. */
export const draft = (
  told: Pick<ControlDraft, 'kind' | 'subject'> & Partial<ControlDraft>,
): ControlDraft => ({
  ...{ holder: null, party: null, asset: null, amountRaw: 0n, detail: null, emitter: null, byHolder: false },
  ...told,
});
