import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Movement } from '../../investigate/model/movement.ts';
import { ALICE, address, BOB, decode, hash, hex } from '../../testing/evm/small-evm-block.ts';

/** What a contract does when it is called; `target` picks an account, where the step makes none. */
type Step = {
  readonly type: 'CALL' | 'CREATE' | 'CREATE2' | 'DELEGATECALL' | 'CALLCODE' | 'STATICCALL' | 'SELFDESTRUCT';
  readonly target: number;
  readonly value: number;
  readonly fails: boolean;
  readonly steps: readonly Step[];
};

const ACCOUNTS = [ALICE, BOB, address('c'), address('f')];
const HELD = 100n;

/** The part of the EVM that moves value: it runs steps, keeps balances, and writes the frames that callTracer would. */
class Machine {
  balances = new Map<string, bigint>(ACCOUNTS.map((account) => [account, HELD]));
  transfers: string[] = [];
  readonly #cancun: boolean;
  #created = new Set<string>();
  #ended = new Set<string>();
  #made = 0;

  constructor(cancun: boolean) {
    this.#cancun = cancun;
  }

  run(self: string, step: Step): Record<string, unknown> {
    const { type, fails } = step;
    const balances = new Map(this.balances);
    const transfers = [...this.transfers];
    const created = new Set(this.#created);
    const ended = new Set(this.#ended);
    const frame = type === 'SELFDESTRUCT' ? this.#destroy(self, this.#pick(step)) : this.#call(self, step);
    if (!fails || type === 'SELFDESTRUCT') return frame;
    this.balances = balances;
    this.transfers = transfers;
    this.#created = created;
    this.#ended = ended;
    return { ...frame, error: 'execution reverted' };
  }

  /** What destroyed accounts still have ends with them. */
  end(): void {
    for (const account of this.#ended) this.balances.set(account, 0n);
  }

  #pick({ target }: Step): string {
    const accounts = [...this.balances.keys()];
    return accounts[target % accounts.length] ?? BOB;
  }

  #make(): string {
    const made = `0x${hex(0x1000 + this.#made++)
      .slice(2)
      .padStart(40, '0')}`;
    this.#created.add(made);
    this.balances.set(made, 0n);
    return made;
  }

  #call(self: string, step: Step): Record<string, unknown> {
    const { type } = step;
    const makes = type === 'CREATE' || type === 'CREATE2';
    const to = makes ? this.#make() : this.#pick(step);
    const isForeignCode = type === 'DELEGATECALL' || type === 'CALLCODE';
    const held = this.balances.get(self) ?? 0n;
    const wanted = BigInt(step.value);
    const value = type === 'STATICCALL' ? 0n : wanted < held ? wanted : held;
    if (!isForeignCode) this.#move(self, to, value);
    const calls: unknown[] = [];
    for (const inner of type === 'STATICCALL' ? [] : step.steps) {
      calls.push(this.run(isForeignCode ? self : to, inner));
      // Nothing of a frame runs behind a self-destruct.
      if (inner.type === 'SELFDESTRUCT') break;
    }
    return { type, from: self, to, value: hex(value), input: '0x', calls };
  }

  #destroy(self: string, to: string): Record<string, unknown> {
    const value = this.balances.get(self) ?? 0n;
    const ends = !this.#cancun || this.#created.has(self);
    if (self !== to) this.#move(self, to, value);
    else if (ends) this.balances.set(self, 0n);
    if (ends) this.#ended.add(self);
    return { type: 'SELFDESTRUCT', from: self, to, value: hex(value), input: '0x' };
  }

  #move(from: string, to: string, value: bigint): void {
    if (value === 0n) return;
    this.transfers.push(`${from} ${to} ${value}`);
    this.balances.set(from, (this.balances.get(from) ?? 0n) - value);
    this.balances.set(to, (this.balances.get(to) ?? 0n) + value);
  }
}

const TYPES = [
  ...(['CALL', 'CALL', 'CREATE', 'CREATE2', 'DELEGATECALL', 'CALLCODE', 'STATICCALL'] as const),
  ...(['SELFDESTRUCT', 'SELFDESTRUCT'] as const),
];

const { step } = fc.letrec<{ step: Step }>((tie) => ({
  step: fc.record({
    type: fc.constantFrom(...TYPES),
    target: fc.nat(9),
    value: fc.nat(60),
    fails: fc.constantFrom(false, false, false, true),
    steps: fc.oneof({ maxDepth: 4 }, fc.constant([]), {
      weight: 3,
      arbitrary: fc.array(tie('step'), { minLength: 2, maxLength: 5 }),
    }),
  }),
}));

/** Balances behind rows, of accounts that held as much as all do at first. */
const settle = (rows: readonly Movement[], accounts: Iterable<string>): Map<string, bigint> => {
  const balances = new Map(
    Array.from(accounts, (account) => [account, ACCOUNTS.includes(account) ? HELD : 0n]),
  );
  const add = (account: string, weiRaw: bigint): void => {
    balances.set(account, (balances.get(account) ?? 0n) + weiRaw);
  };
  for (const { from, to, amountRaw } of rows) {
    if (from !== null) add(from, -amountRaw);
    if (to !== null) add(to, amountRaw);
  }
  return balances;
};

test('whatever a transaction calls, makes, destroys and takes back, its rows are what balances changed by', () => {
  const seen = { burn: 0, transfer: 0 };
  const check = (top: Step, makes: boolean, cancun: boolean): void => {
    const machine = new Machine(cancun);
    const trace = machine.run(ALICE, { ...top, type: makes ? 'CREATE' : 'CALL' });
    machine.end();
    const receipt = { status: top.fails ? '0x0' : '0x1', contractAddress: makes ? trace.to : null };
    const tx = { value: trace.value, to: makes ? null : trace.to };
    const block = cancun ? { parentBeaconBlockRoot: hash(0) } : {};
    const { problems, movements } = decode([{ tx, receipt, trace }], block, true);
    const rows = movements.filter(({ kind }) => kind !== 'fee');
    const transfers = rows.filter(({ kind }) => kind === 'transfer');
    expect(problems).toEqual([]);
    expect(settle(rows, machine.balances.keys())).toEqual(machine.balances);
    expect(transfers.map(({ from, to, amountRaw }) => `${from} ${to} ${amountRaw}`)).toEqual(
      machine.transfers,
    );
    seen.transfer += transfers.length;
    seen.burn += rows.length - transfers.length;
  };
  fc.assert(fc.property(step, fc.boolean(), fc.boolean(), check), { numRuns: 2_000 });
  expect(seen.burn).toBeGreaterThan(100);
  expect(seen.transfer).toBeGreaterThan(1_000);
});
