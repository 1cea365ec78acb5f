import { fieldOf } from '../read-hex.ts';

export type Sifted = {
  /** The same list if all logs belong to the transaction. */
  readonly logs: readonly unknown[];
  /** Why others were left out, one entry a log. */
  readonly leftOut: readonly string[];
};

/** What a log states about its place. */
export type Place = { readonly blockHash: string; readonly blockNumber: number; readonly hash: string };

/** The logs of a receipt without those that state another place, and without repeats. */
export const siftLogs = (logs: readonly unknown[], place: Place): Sifted => {
  const leftOut: string[] = [];
  const seen = new Map<unknown, Seen>();
  const own = logs.filter((log) => {
    const why = whyForeign(log, place) ?? whyRepeated(log, seen);
    if (why !== null) leftOut.push(why);
    return why === null;
  });
  return { logs: leftOut.length === 0 ? logs : own, leftOut };
};

const whyForeign = (log: unknown, { blockHash, blockNumber, hash }: Place): string | null => {
  if (fieldOf(log, 'removed') === true) return 'was taken back';
  if (differs(fieldOf(log, 'transactionHash'), hash)) return 'is of another transaction';
  if (differs(fieldOf(log, 'blockHash'), blockHash)) return 'is of another block';
  const number = fieldOf(log, 'blockNumber');
  const isOther = typeof number === 'string' && number.startsWith('0x') && Number(number) !== blockNumber;
  return isOther ? 'is of another block' : null;
};

const differs = (told: unknown, own: string): boolean =>
  typeof told === 'string' && told !== own && told.toLowerCase() !== own;

/** The content is serialised only when a number repeats: logs may be long and many. */
type Seen = { readonly log: unknown; content: string | null };

/** With the same number and content. */
const whyRepeated = (log: unknown, seen: Map<unknown, Seen>): string | null => {
  const index = fieldOf(log, 'logIndex');
  if (index === undefined || index === null) return null;
  const before = seen.get(index);
  if (before === undefined) {
    seen.set(index, { log, content: null });
    return null;
  }
  before.content ??= contentOf(before.log);
  return before.content === contentOf(log) ? 'is told twice' : null;
};

/** Half of the logs, ignoring numbers, if each occurs twice; null otherwise. */
export const halveRepeated = (logs: readonly unknown[]): readonly unknown[] | null => {
  const contents = logs.map(contentOf);
  const counts = new Map<string, number>();
  for (const content of contents) counts.set(content, (counts.get(content) ?? 0) + 1);
  if (logs.length === 0 || [...counts.values()].some((count) => count % 2 === 1)) return null;
  const kept = new Map<string, number>();
  return logs.filter((_, at) => {
    const content = contents[at] ?? '';
    const before = kept.get(content) ?? 0;
    kept.set(content, before + 1);
    return 2 * before < (counts.get(content) ?? 0);
  });
};

const contentOf = (log: unknown): string =>
  JSON.stringify(['address', 'topics', 'data'].map((field) => fieldOf(log, field))).toLowerCase();
