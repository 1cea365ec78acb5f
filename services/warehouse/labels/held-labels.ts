import { DatabaseSync } from 'node:sqlite';
import type { LabelEvent, LabelIdentity } from '../../events/label-events.ts';
import type { LabelKind } from '../../investigate/model/label.ts';
import { SERVICE_KINDS, type Service } from '../../labels/rules/choose-service.ts';
import { chainsOfKey } from '../../labels/rules/inherit-labels.ts';
import { ServiceIndex, type ServiceWallets } from './held-services.ts';

/**
 * The fields that decide whether a label is shown. Times are unix seconds, 0 when there is none; tables
 * return them as text.
 */
export type LabelRow = readonly [
  chain: string,
  address: string,
  kind: LabelKind,
  name: string,
  source: string,
  creator: string,
  confidence: number,
  validFrom: number | string,
  validTo: number | string,
  assertedAt: number | string,
];

/** Labels in a process' memory, which save queries. */
export type HeldLabels = {
  /**
   * All labels of the addresses on these chains, from every source, past and present. Leaves out addresses that
   * only the tables can answer.
   */
  read(
    chains: readonly string[],
    addresses: readonly string[],
  ): { readonly rows: readonly LabelRow[]; readonly unheld: readonly string[] };
  /** The service that each address belongs to. */
  services(
    chain: string,
    addresses: readonly string[],
  ): { readonly known: ReadonlyMap<string, Service>; readonly unheld: readonly string[] };
  /** At most `limit` addresses of a service; null when only the tables can answer. */
  serviceWallets(chain: string, entity: string, limit: number): ServiceWallets | null;
};

export const NOTHING_HELD: HeldLabels = {
  read: (_, addresses) => ({ rows: [], unheld: addresses }),
  services: (_, addresses) => ({ known: new Map(), unheld: addresses }),
  serviceWallets: () => null,
};

/** About three million labels. */
const BYTES_MAX = 512 << 20;
const PAGE_BYTES = 4_096;
const UNREADABLE_MAX = 1_000;
/** SQLite's error code for a full database. */
const FULL = 13;

const SCHEMA = `
CREATE TABLE labels (
  chain TEXT, address TEXT, source TEXT, kind TEXT, name TEXT, valid_from INTEGER,
  creator TEXT, confidence REAL, valid_to INTEGER, asserted_at INTEGER, entity TEXT,
  PRIMARY KEY (chain, address, source, kind, name, valid_from)
) STRICT, WITHOUT ROWID`;
const PUT = 'INSERT OR REPLACE INTO labels VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)';
const REMOVE = `
DELETE FROM labels
WHERE chain = ? AND address = ? AND source = ? AND kind = ? AND name = ? AND valid_from = ?`;
const READ = `
SELECT chain, address, kind, name, source, creator, confidence, valid_from, valid_to, asserted_at FROM labels
WHERE chain IN (SELECT value FROM json_each(?)) AND address IN (SELECT value FROM json_each(?))`;

/**
 * The labels that events assert, as the table of labels receives them from the same events: in memory, about
 * 170 bytes each. When there is no room for all of them, it keeps none.
 */
export class LabelIndex implements HeldLabels {
  readonly #db = new DatabaseSync(':memory:');
  readonly #put;
  readonly #remove;
  readonly #read;
  readonly #services;
  /**
   * `chain:address` of addresses with an event that this process could not decode, but another version might.
   */
  readonly #unreadable = new Set<string>();

  constructor(bytesMax: number = BYTES_MAX) {
    // One transaction that is never committed, because each commit would look through all pages.
    this.#db.exec(`
      PRAGMA journal_mode = OFF;
      PRAGMA page_size = ${PAGE_BYTES};
      PRAGMA max_page_count = ${Math.ceil(bytesMax / PAGE_BYTES)};
      ${SCHEMA};
      BEGIN
    `);
    this.#services = new ServiceIndex(this.#db);
    this.#put = this.#db.prepare(PUT);
    this.#remove = this.#db.prepare(REMOVE);
    this.#read = this.#db.prepare(READ);
    this.#read.setReturnArrays(true);
  }

  /** Whether it keeps none, for lack of room. */
  get isFull(): boolean {
    return !this.#db.isOpen;
  }

  /** Events of an address in the order of the log. */
  apply(event: LabelEvent): void {
    if (this.isFull) return;
    try {
      this.#take(event);
    } catch (error) {
      if (!(error instanceof Error && 'errcode' in error && error.errcode === FULL)) throw error;
      this.close();
    }
  }

  /** An event of the address `key` (`chain:address`) could not be decoded. */
  doubt(key: string): void {
    if (this.#unreadable.size < UNREADABLE_MAX) this.#unreadable.add(key);
    else this.close();
  }

  read(chains: readonly string[], addresses: readonly string[]): ReturnType<HeldLabels['read']> {
    if (this.isFull) return NOTHING_HELD.read(chains, addresses);
    const { held, unheld } = this.#split(chains, addresses);
    // With the column names of the statement. `node:sqlite` has no types for rows as arrays.
    const rows: readonly unknown[] = this.#read.all(JSON.stringify(chains), JSON.stringify(held));
    return { rows: rows as readonly LabelRow[], unheld };
  }

  services(chain: string, addresses: readonly string[]): ReturnType<HeldLabels['services']> {
    if (this.isFull) return NOTHING_HELD.services(chain, addresses);
    const { held, unheld } = this.#split(chainsOfKey(chain), addresses);
    return { known: this.#services.read(chain, held), unheld };
  }

  serviceWallets(chain: string, entity: string, limit: number): ServiceWallets | null {
    // An address in doubt may belong to any service.
    if (this.isFull || this.#unreadable.size > 0) return null;
    return this.#services.walletsOf(chain, entity, limit);
  }

  close(): void {
    if (this.#db.isOpen) this.#db.close();
  }

  #split(chains: readonly string[], addresses: readonly string[]) {
    const isDoubted = (address: string): boolean =>
      chains.some((chain) => this.#unreadable.has(`${chain}:${address}`));
    const unheld = this.#unreadable.size === 0 ? [] : addresses.filter(isDoubted);
    const held = unheld.length === 0 ? addresses : addresses.filter((address) => !isDoubted(address));
    return { held, unheld };
  }

  #take(event: LabelEvent): void {
    const said = event.type === 'LabelRevoked' ? event.revocation : event.label;
    if (isOfService(said)) this.#services.follow(said, () => this.#store(event));
    else this.#store(event);
  }

  #store(event: LabelEvent): void {
    if (event.type === 'LabelRevoked') {
      this.#remove.run(...identityOf(event.revocation));
      return;
    }
    const { creator, confidence, validTo, assertedAt, entity } = event.label;
    const service = isOfService(event.label) ? entity : '';
    this.#put.run(...identityOf(event.label), creator, confidence, validTo ?? 0, assertedAt, service);
  }
}

const isOfService = ({ kind }: LabelIdentity): boolean =>
  (SERVICE_KINDS as readonly LabelKind[]).includes(kind);

const identityOf = ({ chain, address, source, kind, name, validFrom }: LabelIdentity) =>
  [chain, address, source, kind, name, validFrom ?? 0] as const;
