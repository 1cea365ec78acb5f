import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { isDepositAddress, type LabelKind } from '../../investigate/model/label.ts';
import { chooseService, type Service } from '../../labels/rules/choose-service.ts';
import { chainsOfKey, holdingOn } from '../../labels/rules/inherit-labels.ts';

/** The first addresses of a service, in order, and their number. */
export type ServiceWallets = { readonly addresses: readonly string[]; readonly total: number };

const SCHEMA = `
CREATE TABLE wallets (chain TEXT, entity TEXT, address TEXT, PRIMARY KEY (chain, entity, address)) STRICT, WITHOUT ROWID;
CREATE TABLE totals (chain TEXT, entity TEXT, wallets INTEGER, PRIMARY KEY (chain, entity)) STRICT, WITHOUT ROWID`;
const SAID = `
SELECT address, chain, kind, name, entity, confidence, asserted_at FROM labels
WHERE chain IN (SELECT value FROM json_each(?)) AND address IN (SELECT value FROM json_each(?)) AND entity != ''`;
const JOIN = 'INSERT INTO wallets VALUES (?, ?, ?)';
const LEAVE = 'DELETE FROM wallets WHERE chain = ? AND entity = ? AND address = ?';
const COUNT = `
INSERT INTO totals VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET wallets = wallets + excluded.wallets`;
const WALLETS = 'SELECT address FROM wallets WHERE chain = ? AND entity = ? ORDER BY address LIMIT ?';
const TOTAL = 'SELECT wallets FROM totals WHERE chain = ? AND entity = ?';

/** The owner of an address by a label. Tables return the time as text. */
export type Said = readonly [
  address: string,
  chain: string,
  kind: LabelKind,
  name: string,
  entity: string,
  confidence: number,
  assertedAt: number | string,
];

/**
 * The service of one address on a chain, by its labels of service kinds. A customer's address at an exchange does not
 * inherit: how it sweeps tells it on every chain, and lists name hundreds of thousands.
 */
export const serviceOf = (chain: string, said: readonly Said[]): Service | null =>
  chooseService(
    holdingOn(
      chain,
      said.map(([, on, kind, name, entity, confidence, assertedAt]) => {
        return { chain: on, kind, name, entity, confidence, assertedAt: Number(assertedAt) };
      }),
    ).filter((label) => label.chain === chain || !isDepositAddress(label)),
  );

/**
 * Which addresses are wallets of services, by the rule and labels that fill the table `service_wallets`.
 * Stored in the labels' database, which has an entity only for labels of a service kind.
 */
export class ServiceIndex {
  readonly #said;
  readonly #join;
  readonly #leave;
  readonly #count;
  readonly #wallets;
  readonly #total;

  constructor(db: DatabaseSync) {
    db.exec(SCHEMA);
    const prepare = (sql: string): StatementSync => {
      const statement = db.prepare(sql);
      statement.setReturnArrays(true);
      return statement;
    };
    this.#said = prepare(SAID);
    this.#join = prepare(JOIN);
    this.#leave = prepare(LEAVE);
    this.#count = prepare(COUNT);
    this.#wallets = prepare(WALLETS);
    this.#total = prepare(TOTAL);
  }

  /** The service that each address belongs to; others are missing. */
  read(chain: string, addresses: readonly string[]): ReadonlyMap<string, Service> {
    // With the column names of the statement. `node:sqlite` has no types for rows as arrays.
    const rows: readonly unknown[] = this.#said.all(
      JSON.stringify(chainsOfKey(chain)),
      JSON.stringify(addresses),
    );
    const services = new Map<string, Service>();
    for (const [address, said] of Map.groupBy(rows as readonly Said[], ([of]) => of)) {
      const service = serviceOf(chain, said);
      if (service !== null) services.set(address, service);
    }
    return services;
  }

  walletsOf(chain: string, entity: string, limit: number): ServiceWallets {
    const rows: readonly unknown[] = this.#wallets.all(chain, entity, limit);
    const total: unknown = this.#total.get(chain, entity);
    return {
      addresses: (rows as readonly (readonly [string])[]).map(([address]) => address),
      total: (total as readonly [number] | undefined)?.[0] ?? 0,
    };
  }

  /** `change` changes the address' labels. */
  follow({ chain, address }: { readonly chain: string; readonly address: string }, change: () => void): void {
    const entities = () =>
      chainsOfKey(chain).map((on) => [on, this.read(on, [address]).get(address)?.entity] as const);
    const before = new Map(entities());
    change();
    for (const [on, after] of entities()) this.#move(on, address, before.get(on), after);
  }

  #move(chain: string, address: string, before: string | undefined, after: string | undefined): void {
    if (before === after) return;
    if (before !== undefined) {
      this.#leave.run(chain, before, address);
      this.#count.run(chain, before, -1);
    }
    if (after !== undefined) {
      this.#join.run(chain, after, address);
      this.#count.run(chain, after, 1);
    }
  }
}
