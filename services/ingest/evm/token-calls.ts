/**
 * Who called which contract in one transaction, to find who moved a `Transfer` log's tokens. A trace does not say
 * which call wrote a log; the arguments of `transferFrom` do, and most tokens have one caller.
 */
export type TokenCalls = {
  /** Unchecked fields of a frame; non-strings are ignored. */
  add(caller: unknown, contract: unknown, input: string): void;
  /**
   * Who moved `owner`'s tokens: `owner` itself, the spender, or the contract's only caller; null if the calls do
   * not decide it. `words`: owner, recipient and amount as 64 hex digits each, lower case.
   */
  mover(contract: string, owner: string | null, words: () => string): string | null;
  hasCalled(contract: string, caller: string): boolean;
  /** Whether the contract received a `permit` of the owner in this word (64 hex digits, lower case). */
  hasPermit(contract: string, ownerWord: string): boolean;
};

/** Of `permit`, all of which name the owner first: ERC-2612, the same with a packed signature, and DAI's. */
export const PERMIT_SELECTORS = ['d505accf', '9fd5a6cf', '8fcbaf0c'] as const;
const TRANSFER_FROM = '0x23b872dd';
const SELECTOR_END = 10;
const WORD_END = SELECTOR_END + 64;
const THREE_WORDS_END = SELECTOR_END + 3 * 64;

type Call = { readonly caller: string; readonly contract: string; readonly input: string };

/** Per contract. Most have one caller and few move foreign tokens, so neither needs a collection. */
type ContractCalls = {
  readonly caller: string;
  /** The first caller; null if it is the only one. */
  callers: Set<string> | null;
  /** Owners whose `permit` it received. */
  permits: Set<string> | null;
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
      known = { caller, callers: null, permits: null, spenders: null };
      byContract.set(contract, known);
    } else if (known.callers !== null) known.callers.add(caller);
    else if (known.caller !== caller) known.callers = new Set([known.caller, caller]);
    if (isPermit(call.input)) {
      known.permits ??= new Set();
      known.permits.add(call.input.slice(SELECTOR_END, WORD_END).toLowerCase());
    }
    if (!call.input.startsWith(TRANSFER_FROM)) continue;
    const words = call.input.slice(SELECTOR_END, THREE_WORDS_END).toLowerCase();
    known.spenders ??= new Map();
    if (!known.spenders.has(words)) known.spenders.set(words, caller);
  }
  return byContract;
};

const isPermit = (input: string): boolean =>
  PERMIT_SELECTORS.some((selector) => input.startsWith(selector, 2));

export const createTokenCalls = (): TokenCalls => {
  const calls: Call[] = [];
  let byContract: ReadonlyMap<string, ContractCalls> | null = null;
  const callsOf = (contract: string): ContractCalls | undefined => {
    // Most transactions have no token log, so calls are only indexed at the first question.
    byContract ??= indexCalls(calls);
    return byContract.get(contract);
  };
  return {
    add: (caller, contract, input) => {
      if (typeof caller === 'string' && typeof contract === 'string') calls.push({ caller, contract, input });
    },
    mover: (contract, owner, words) => {
      const known = callsOf(contract);
      const spender = known?.spenders?.get(words());
      if (spender !== undefined) return spender;
      if (owner === contract) return owner;
      if (known === undefined) return null;
      if (known.callers === null) return known.caller;
      return owner !== null && known.callers.has(owner) ? owner : null;
    },
    hasCalled: (contract, caller) => {
      const known = callsOf(contract);
      return known !== undefined && (known.caller === caller || (known.callers?.has(caller) ?? false));
    },
    hasPermit: (contract, ownerWord) => callsOf(contract)?.permits?.has(ownerWord) ?? false,
  };
};
