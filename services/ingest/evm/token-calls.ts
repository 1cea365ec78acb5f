/**
 * Who called which contract in one transaction, so that a `Transfer` log can be told who moved the tokens. A trace does
 * not say which call wrote a log; a call of `transferFrom` says it by its arguments, and most tokens have one caller.
 */
export type TokenCalls = {
  /** Fields of a frame as they come: what is not a string is not remembered. */
  add(caller: unknown, contract: unknown, input: string): void;
  /**
   * Who moved `owner`'s tokens: `owner` itself, the spender, or the only caller of the contract; null where the calls do
   * not decide it. `words`: owner, recipient and amount as 64 hex digits each, in lower case.
   */
  mover(contract: string, owner: string | null, words: () => string): string | null;
};

const TRANSFER_FROM = '0x23b872dd';
const SELECTOR_END = 10;
const THREE_WORDS_END = SELECTOR_END + 3 * 64;

type Call = { readonly caller: string; readonly contract: string; readonly input: string };

/** Of one contract. Most have one caller, and few are asked to move what is another's: neither costs those a collection. */
type ContractCalls = {
  readonly caller: string;
  /** The first one among them; null where it is the only one. */
  callers: Set<string> | null;
  /** By the arguments of `transferFrom`. */
  spenders: Map<string, string> | null;
};

const indexCalls = (calls: readonly Call[]): ReadonlyMap<string, ContractCalls> => {
  const byContract = new Map<string, ContractCalls>();
  for (const call of calls) {
    const caller = call.caller.toLowerCase();
    const contract = call.contract.toLowerCase();
    let known = byContract.get(contract);
    if (known === undefined) {
      known = { caller, callers: null, spenders: null };
      byContract.set(contract, known);
    } else if (known.callers !== null) known.callers.add(caller);
    else if (known.caller !== caller) known.callers = new Set([known.caller, caller]);
    if (!call.input.startsWith(TRANSFER_FROM)) continue;
    const words = call.input.slice(SELECTOR_END, THREE_WORDS_END).toLowerCase();
    known.spenders ??= new Map();
    if (!known.spenders.has(words)) known.spenders.set(words, caller);
  }
  return byContract;
};

export const createTokenCalls = (): TokenCalls => {
  const calls: Call[] = [];
  let byContract: ReadonlyMap<string, ContractCalls> | null = null;
  return {
    add: (caller, contract, input) => {
      if (typeof caller === 'string' && typeof contract === 'string') calls.push({ caller, contract, input });
    },
    mover: (contract, owner, words) => {
      // Most transactions have no token log: calls are only noted until the first one asks.
      byContract ??= indexCalls(calls);
      const known = byContract.get(contract);
      const spender = known?.spenders?.get(words());
      if (spender !== undefined) return spender;
      if (owner === contract) return owner;
      if (known === undefined) return null;
      if (known.callers === null) return known.caller;
      return owner !== null && known.callers.has(owner) ? owner : null;
    },
  };
};
