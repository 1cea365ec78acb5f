import { showableLine } from '../../platform/showable.ts';
import { whileWaiting } from '../reports/start-waiting.ts';
import { type MadeCase, makeCase } from './make-case.ts';

/** Makes a case and tells on stderr what it holds, and what it lacks. */
export const saveCase = async (
  content: Parameters<typeof makeCase>[0],
  path: string,
  signal: AbortSignal,
): Promise<MadeCase> => {
  const made = await whileWaiting('reading the movements', () => makeCase(content, path, signal));
  process.stderr.write(`${made.rows} movements in ${showableLine(path)}\n`);
  for (const { chain, transaction } of made.withoutEvidence)
    process.stderr.write(
      `not in the tables here, and so without evidence: ${chain} ${showableLine(transaction)}\n`,
    );
  return made;
};
