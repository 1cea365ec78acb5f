import { auditLedger } from '../../credits/audit.ts';
import { Books } from '../../credits/books.ts';
import { EVENTS } from '../../credits/books-view.ts';
import type { Balance } from '../../credits/decider/balance.ts';
import type { LedgerEvent } from '../../credits/decider/events.ts';
import type { Payer } from '../../credits/decider/state.ts';
import type { TariffName } from '../../credits/decider/tariffs.ts';
import type { LedgerCodec, LedgerEntry } from '../../credits/ledger-codec.ts';
import type { EventLog } from '../../platform/event-log/event-log.ts';
import type { ApiHost } from './api-host.ts';
import { findOrderProblems, type OrderingClients } from './ordering-clients.ts';
import type { Broker } from './simulated-log.ts';

export type SimulatedCall = {
  readonly payer: Payer;
  readonly tariff: TariffName;
  readonly host: ApiHost;
  /** What its work comes to. */
  readonly work: 'done' | 'free' | 'failed';
  /** Its client waits no longer. */
  readonly leavesMs: number;
  /** null until the ledger was asked. */
  callId: string | null;
  /** As the client saw it; `pending` for ever where the process died. */
  outcome: 'pending' | 'answered' | 'refused';
  endedMs: number | null;
  /** The service itself said that it might charge without an answer. */
  isConceded: boolean;
};

/** Credits bought; whoever sells them sends the command until it is confirmed. */
export type SimulatedPurchase = { readonly id: string; isConfirmed: boolean };

type Run = {
  readonly calls: readonly SimulatedCall[];
  readonly purchases: readonly SimulatedPurchase[];
  readonly orders: OrderingClients['orders'];
  readonly hosts: readonly ApiHost[];
  readonly broker: Broker;
  readonly codec: LedgerCodec;
  readonly nowMs: number;
};

/** Compares what clients and processes saw with what the log says. Empty where everything has come to rest as promised. */
export const findProblems = async (run: Run): Promise<string[]> => {
  const entries = readEntries(run);
  const { problems, open } = await auditLedger({
    log: directly(run.broker),
    codec: run.codec,
    snapshot: null,
    tables: null,
  });
  // Books that are wrong in themselves are no measure of anything else.
  if (problems.length > 0) return problems.map(({ payer, problem }) => `${payer}: ${problem}`);
  return [
    ...(open > 0 ? [`${open} reservations are still open`] : []),
    ...findWrongCalls(run, entries),
    ...findChargedForNothing(run, entries),
    ...findOrderProblems(run.orders, endingsOf(entries)),
    ...findWrongPurchases(run, entries),
    ...findStrayBooks(run, entries),
  ];
};

const readEntries = ({ broker, codec }: Run): LedgerEntry[] =>
  broker
    .ranges(EVENTS)
    .flatMap((range) => broker.records(range).map(({ value }) => codec.decodeEntry(value)));

/** What the log is asked for by an audit, without a network in between. */
const directly = (broker: Broker): EventLog =>
  ({
    ranges: async (topic: string) => broker.ranges(topic),
    read: async ({ offset, until, ...place }) => broker.records(place).slice(offset, until),
  }) as Pick<EventLog, 'ranges' | 'read'> as EventLog;

/** The last word on each call. */
const endingsOf = (entries: readonly LedgerEntry[]): Map<string, LedgerEvent['type']> =>
  new Map(entries.flatMap(({ event }) => ('callId' in event ? [[event.callId, event.type]] : [])));

const findWrongCalls = ({ calls }: Run, entries: readonly LedgerEntry[]): string[] => {
  const endings = endingsOf(entries);
  return calls.flatMap((call) => {
    const ending = call.callId === null ? undefined : endings.get(call.callId);
    const isCharged = ending === 'CallPosted';
    const what = `a ${call.tariff} call of ${call.payer} whose work was ${call.work}`;
    if (call.outcome === 'answered' && call.work === 'done')
      return isCharged ? [] : [`${what} was answered and not charged: ${ending}`];
    if (!isCharged)
      return call.outcome === 'pending' && call.host.actor.isAlive ? [`${what} never ended`] : [];
    if (call.work !== 'done') return [`${what} was charged`];
    return call.outcome === 'refused' && !isExcused(call) ? [`${what} was refused and charged`] : [];
  });
};

/** An answer that came too late for its client. */
const findChargedForNothing = ({ calls }: Run, entries: readonly LedgerEntry[]): string[] => {
  const endings = endingsOf(entries);
  return calls
    .filter(({ outcome, leavesMs, endedMs }) => outcome === 'answered' && leavesMs <= (endedMs ?? 0))
    .filter(({ callId }) => callId !== null && endings.get(callId) === 'CallPosted')
    .map(({ payer, tariff }) => `a ${tariff} call of ${payer} was charged though its client had left`);
};

/** A process that ended while it was taking a charge back could not; one that said so is believed. */
const isExcused = ({ host, isConceded }: SimulatedCall): boolean => isConceded || host.endedMs !== null;

const findWrongPurchases = ({ purchases }: Run, entries: readonly LedgerEntry[]): string[] =>
  purchases.flatMap(({ id, isConfirmed }) => {
    const times = entries.filter(
      ({ event }) => event.type === 'CreditsAdded' && event.commandId === id,
    ).length;
    if (times > 1) return [`purchase ${id} counts ${times} times`];
    return isConfirmed && times === 0 ? [`purchase ${id} was confirmed and is not in the books`] : [];
  });

/** Every process must show what the log says. */
const findStrayBooks = ({ hosts, nowMs }: Run, entries: readonly LedgerEntry[]): string[] => {
  const books = new Books();
  for (const entry of entries) books.apply(entry);
  return hosts.flatMap(({ actor, ledger }) => {
    if (!ledger.isReady()) return [`${actor.name} has no ledger`];
    const stray = [...books.states.keys()].filter(
      (payer) => describe(ledger.balance(payer)) !== describe(books.balance(payer, nowMs)),
    );
    return stray.map((payer) => `${actor.name} shows another balance of ${payer} than the log`);
  });
};

const describe = ({ analysesLeft, tracesLeft, packCredits, openCalls }: Balance): string =>
  [analysesLeft, tracesLeft, packCredits, openCalls].join(' ');
