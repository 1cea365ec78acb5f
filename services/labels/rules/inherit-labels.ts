import { CHAINS, findChain } from '../../investigate/model/chain.ts';
import type { LabelKind } from '../../investigate/model/label.ts';

/** Kinds that say who holds a key. The others say what a contract does, and another chain may have another one there. */
const OF_KEYS: readonly LabelKind[] = ['exchange', 'sanctioned', 'hack', 'other'];

const EVM_CHAINS = CHAINS.filter(({ family }) => family === 'evm').map(({ name }) => name);

/** The chains on which a key has this address: all EVM chains together, Solana alone. */
export const chainsOfKey = (chain: string): readonly string[] =>
  findChain(chain)?.family === 'evm' ? EVM_CHAINS : [chain];

type Said = { readonly chain: string; readonly kind: LabelKind };

/** Whether a label may hold on other chains than its own. */
export const mayInherit = ({ kind }: Pick<Said, 'kind'>): boolean => OF_KEYS.includes(kind);

/**
 * The labels of one address that hold on a chain: its own, and those that other chains' labels say of the same key. A
 * contract passes on and inherits none: code was seen there (`contracts` names the chains), or a label's kind says so.
 */
export const holdingOn = <L extends Said>(
  chain: string,
  said: readonly L[],
  contracts: ReadonlySet<string> = NONE,
): readonly L[] => {
  const isContract = (on: string): boolean =>
    contracts.has(on) || said.some((label) => label.chain === on && !mayInherit(label));
  const inherits = !isContract(chain);
  return said.filter(
    (label) => label.chain === chain || (inherits && mayInherit(label) && !isContract(label.chain)),
  );
};

const NONE: ReadonlySet<string> = new Set();
