import type { SchemaRegistry } from '../platform/avro/schema-registry.ts';
import { openTaggedCodec } from '../platform/avro/tagged-codec.ts';
import type { LedgerCommand } from './decider/commands.ts';
import type { LedgerEvent } from './decider/events.ts';
import type { Payer } from './decider/state.ts';

/** An event and whose books it belongs to. */
export type LedgerEntry = { readonly payer: Payer; readonly atUnixMs: number; readonly event: LedgerEvent };
export type PayerCommand = { readonly payer: Payer; readonly command: LedgerCommand };

/** Ledger records in the log's format. Decoding throws if a record is damaged or has another schema. */
export type LedgerCodec = Awaited<ReturnType<typeof openLedgerCodec>>;

export const openLedgerCodec = async (registry: SchemaRegistry) => {
  const events = await openTaggedCodec<'event', LedgerEntry>(registry, 'LedgerEvent', 'event');
  const commands = await openTaggedCodec<'command', PayerCommand>(registry, 'LedgerCommand', 'command');
  return {
    encodeEntry: events.encode,
    decodeEntry: events.decode,
    encodeCommand: commands.encode,
    decodeCommand: commands.decode,
  };
};
