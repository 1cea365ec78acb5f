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

export const createTokenCalls = (): TokenCalls => {
  const calls: { readonly caller: string; readonly contract: string; readonly input: string }[] = [];
  let callers: Map<string, Set<string>> | null = null;
  let spenders: Map<string, string> | null = null;

  // Most transactions have no token log: calls are only noted until the first one asks.
  const index = (): { callers: Map<string, Set<string>>; spenders: Map<string, string> } => {
    if (callers !== null && spenders !== null) return { callers, spenders };
    callers = new Map();
    spenders = new Map();
    for (const call of calls) {
      const caller = call.caller.toLowerCase();
      const contract = call.contract.toLowerCase();
      const input = call.input;
      const known = callers.get(contract);
      if (known === undefined) callers.set(contract, new Set([caller]));
      else known.add(caller);
      if (!input.startsWith(TRANSFER_FROM)) continue;
      const key = contract + input.slice(SELECTOR_END, THREE_WORDS_END).toLowerCase();
      if (!spenders.has(key)) spenders.set(key, caller);
    }
    return { callers, spenders };
  };

  return {
    add: (caller, contract, input) => {
      if (typeof caller === 'string' && typeof contract === 'string') calls.push({ caller, contract, input });
    },
    mover: (contract, owner, words) => {
      const indexed = index();
      const spender = indexed.spenders.size === 0 ? undefined : indexed.spenders.get(contract + words());
      if (spender !== undefined) return spender;
      if (owner === contract) return owner;
      const known = indexed.callers.get(contract);
      if (known === undefined) return null;
      if (owner !== null && known.has(owner)) return owner;
      const [only, another] = known;
      return another === undefined ? (only ?? null) : null;
    },
  };
};
