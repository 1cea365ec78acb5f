import { chainOf } from './chain-of.ts';
import type { SourcedLabel } from './statement.ts';

/** What every source says of one address. */
export type ReadLabels = (
  chain: string,
  address: string,
  signal: AbortSignal,
) => Promise<readonly SourcedLabel[]>;

/** Addresses whose sources are read, in the answer's order: each is a query. */
const ADDRESSES_MAX = 200;
const AT_ONCE = 8;

/** Who said what of the addresses that an answer labels. */
export const gatherLabels = async (
  answer: unknown,
  readLabels: ReadLabels,
  signal: AbortSignal,
): Promise<readonly SourcedLabel[]> => {
  const labelled = [...new Map([...walk(answer, '')].map((each) => [each.join(' '), each])).values()];
  const asked = labelled.slice(0, ADDRESSES_MAX);
  const labels: SourcedLabel[] = [];
  for (let at = 0; at < asked.length; at += AT_ONCE) {
    const some = asked.slice(at, at + AT_ONCE);
    const read = await Promise.all(some.map(([chain, address]) => readLabels(chain, address, signal)));
    labels.push(...read.flat());
  }
  return labels;
};

/** Answers name a label beside its address: `label` beside `address`, `to_label` beside `to`. */
function* walk(value: unknown, chain: string): Generator<readonly [chain: string, address: string]> {
  if (typeof value !== 'object' || value === null) return;
  const fields = value as Readonly<Record<string, unknown>>;
  const own = chainOf(value) ?? chain;
  for (const [name, said] of Object.entries(fields)) {
    const address = fields[name === 'label' ? 'address' : name.replace(/_label$/, '')];
    if ((name === 'label' || name.endsWith('_label')) && said !== null && typeof address === 'string')
      yield [own, address];
    else if (name !== 'next') yield* walk(said, own);
  }
}
