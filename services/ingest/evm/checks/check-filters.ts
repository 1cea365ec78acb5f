import type { DecodeProblem } from '../../../investigate/model/block.ts';
import { fieldOf, listOf, type RawObject } from '../read-hex.ts';
import { bloomOf, isWithin, readBloom } from '../roots/bloom.ts';
import type { Entry } from './prove-roots.ts';

/**
 * Checks without the receipts' root: filters have bits of every log, and logs are numbered through the block. An
 * empty filter beside logs proves nothing, because some sources fill in zeros.
 */
export const checkFilters = (block: RawObject, entries: readonly Entry[]): readonly DecodeProblem[] => {
  const found: DecodeProblem[] = [];
  const tell = (txIndex: number | null, message: string): void => {
    found.push({ code: 'receipts_contradict', txIndex, message });
  };
  compare(block.logsBloom, entries.flatMap(logsOf), 'the block', (message) => tell(null, message));
  for (const entry of entries)
    compare(entry.receipt.logsBloom, logsOf(entry), 'the receipt', (message) => tell(entry.txIndex, message));
  if (!areNumbered(entries.flatMap(logsOf)))
    tell(null, 'the logs are not numbered through: some are missing, or others among them');
  return found;
};

const logsOf = ({ receipt }: Entry): readonly unknown[] => listOf(receipt.logs);

const compare = (
  filter: unknown,
  logs: readonly unknown[],
  whose: string,
  tell: (message: string) => void,
): void => {
  const told = readBloom(filter);
  if (told === null) return;
  const found = bloomOf(logs);
  if (!isWithin(told, found)) tell(`the filter of ${whose} has logs that are not listed`);
  if (!isWithin(found, told)) tell(`logs are listed that are not in the filter of ${whose}`);
};

/** Missing numbers prove nothing. */
const areNumbered = (logs: readonly unknown[]): boolean => {
  const numbers = logs.map((log) => fieldOf(log, 'logIndex'));
  return (
    numbers.some((number) => typeof number !== 'string') ||
    numbers.every((number, at) => Number(number) === at)
  );
};
