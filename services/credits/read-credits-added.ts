import type { EventLog } from '../platform/event-log/event-log.ts';
import { readTopic } from '../platform/event-log/read-topic.ts';
import { EVENTS } from './books-view.ts';
import type { Payer } from './decider/state.ts';
import type { LedgerCodec } from './ledger-codec.ts';

type CreditsAdded = { readonly payer: Payer; readonly id: string; readonly credits: number };

/** All additions of pack credits in the log, by command id. */
export const readCreditsAdded = async (log: EventLog, codec: LedgerCodec): Promise<CreditsAdded[]> => {
  const added: CreditsAdded[] = [];
  for await (const records of readTopic(log, EVENTS))
    for (const { value } of records) {
      const { payer, event } = codec.decodeEntry(value);
      if (event.type === 'CreditsAdded') added.push({ payer, id: event.commandId, credits: event.credits });
    }
  return added;
};
