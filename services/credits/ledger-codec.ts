import { openCodec } from '../platform/avro/codec.ts';
import type { SchemaRegistry } from '../platform/avro/schema-registry.ts';
import { fromBranch, toBranch } from '../platform/avro/tagged-union.ts';
import type { LedgerCommand } from './decider/commands.ts';
import type { LedgerEvent } from './decider/events.ts';
import type { Payer } from './decider/state.ts';

/** An event and whose books it belongs to. */
export type LedgerEntry = { readonly payer: Payer; readonly atUnixMs: number; readonly event: LedgerEvent };
export type PayerCommand = { readonly payer: Payer; readonly command: LedgerCommand };

/** Ledger records as they lie in the log. Decoding throws where a record is of another schema or damaged. */
export type LedgerCodec = {
  encodeEntry(entry: LedgerEntry): Buffer;
  decodeEntry(record: Buffer): LedgerEntry;
  encodeCommand(command: PayerCommand): Buffer;
  decodeCommand(record: Buffer): PayerCommand;
};

type EventRecord = { payer: Payer; at_unix_ms: number; event: object };
type CommandRecord = { payer: Payer; command: object };

export const openLedgerCodec = async (registry: SchemaRegistry): Promise<LedgerCodec> => {
  const events = await openCodec<EventRecord>(registry, 'LedgerEvent');
  const commands = await openCodec<CommandRecord>(registry, 'LedgerCommand');
  return {
    encodeEntry: ({ payer, atUnixMs, event }) =>
      events.encode({ payer, at_unix_ms: atUnixMs, event: toBranch(event) }),
    decodeEntry: (record) => {
      const { payer, at_unix_ms: atUnixMs, event } = events.decode(record);
      return { payer, atUnixMs, event: fromBranch<LedgerEvent>(event) };
    },
    encodeCommand: ({ payer, command }) => commands.encode({ payer, command: toBranch(command) }),
    decodeCommand: (record) => {
      const { payer, command } = commands.decode(record);
      return { payer, command: fromBranch<LedgerCommand>(command) };
    },
  };
};
