import type { Account, Accounts } from './accounts.ts';
import type { Instruction } from './instructions.ts';

export type TopLevel = {
  readonly instruction: Instruction;
  readonly inner: Instruction[];
  /** What its program tells in the log, in base64. */
  readonly events: readonly string[];
};

/** A running transaction: its effects so far, and the earlier state of touched accounts. */
export type Execution = {
  readonly accounts: Accounts;
  readonly payer: string;
  readonly feeLamports: bigint;
  readonly before: Map<string, Account>;
  readonly signers: Set<string>;
  readonly topLevel: TopLevel[];
  readonly isContract: (address: string) => boolean;
};

/** Saves an account's state at its first touch. */
const remember = (execution: Execution, address: string): void => {
  if (!execution.before.has(address)) execution.before.set(address, execution.accounts.get(address));
};

export const put = (execution: Execution, address: string, account: Account): void => {
  remember(execution, address);
  execution.accounts.put(address, account);
};

export const moveLamports = (execution: Execution, from: string, to: string, lamports: bigint): void => {
  const { accounts } = execution;
  const source = accounts.get(from);
  put(execution, from, { ...source, lamports: source.lamports - lamports });
  const target = accounts.get(to);
  put(execution, to, { ...target, lamports: target.lamports + lamports });
};

export const beginExecution = (input: Omit<Execution, 'before' | 'signers' | 'topLevel'>): Execution => {
  const execution: Execution = {
    ...input,
    before: new Map(),
    signers: new Set([input.payer]),
    topLevel: [],
  };
  const payer = input.accounts.get(input.payer);
  put(execution, input.payer, { ...payer, lamports: payer.lamports - input.feeLamports });
  return execution;
};

/** Restores every touched account. */
export const rollBack = (execution: Execution): void => {
  for (const [address, account] of execution.before) execution.accounts.put(address, account);
};

/** A failed transaction: everything is restored, and the fee is paid. */
export const failExecution = (execution: Execution): void => {
  rollBack(execution);
  const payer = execution.accounts.get(execution.payer);
  execution.accounts.put(execution.payer, { ...payer, lamports: payer.lamports - execution.feeLamports });
};

export const pushTop = (
  execution: Execution,
  instruction: Instruction,
  events: readonly string[] = [],
): Instruction[] => {
  const top: TopLevel = { instruction, inner: [], events };
  execution.topLevel.push(top);
  return top.inner;
};

/** A person signs with a key; a program signs for its own addresses. */
export const sign = (execution: Execution, address: string): void => {
  if (!execution.isContract(address)) execution.signers.add(address);
};
