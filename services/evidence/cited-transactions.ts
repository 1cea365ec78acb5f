import { chainOf } from './chain-of.ts';
import type { Cited } from './statement.ts';

/** Names under which answers cite a transaction, or a list of them. */
const NAMES = ['signature', 'hash', 'transaction', 'signatures'];
/** A base58 signature, or a hash with 0x. */
const HASH = /^(0x[0-9a-f]{64}|[1-9A-HJ-NP-Za-km-z]{86,88})$/;

/** Every transaction that an answer cites, each once, in its order. Calls to make next cite nothing. */
export const citedTransactions = (answer: unknown): Cited[] => {
  const cited = new Map<string, Cited>();
  for (const each of walk(answer, '')) cited.set(`${each.chain}:${each.transaction}`, each);
  return [...cited.values()];
};

/** A part of an answer that names its chain speaks of that one. */
function* walk(value: unknown, chain: string): Generator<Cited> {
  if (typeof value !== 'object' || value === null) return;
  const own = chainOf(value) ?? chain;
  for (const [name, said] of Object.entries(value)) {
    if (name === 'next') continue;
    if (NAMES.includes(name))
      for (const one of [said].flat())
        if (typeof one === 'string' && HASH.test(one)) yield { chain: own, transaction: one };
    yield* walk(said, own);
  }
}
