import { findBlockFiles } from './block-files.ts';
import { tryDecodeFile } from './decode-file.ts';
import type { ReplayEvents } from './replay.ts';

// The report if there is no block; the rest is not counted.
const TOLD_MAX = 1_000;

/** Whether there is a block among the paths; stops at the first one. Without one it reports what there is. */
export const lookForBlock = async (
  paths: readonly string[],
  chain: string | null,
  events: Pick<ReplayEvents, 'refused' | 'unreadable'>,
): Promise<boolean> => {
  const untold: (() => void)[] = [];
  const later = (tell: () => void): void => {
    if (untold.length < TOLD_MAX) untold.push(tell);
  };
  const unreadable = (path: string, { message: reason }: Error): void =>
    later(() => events.unreadable({ path, reason }));
  for await (const { path } of findBlockFiles(paths, { chain, votes: 'sum', unreadable })) {
    const decoded = await tryDecodeFile(path, chain, () => []);
    if (decoded.status === 'block') return true;
    const { reason } = decoded;
    if (decoded.status === 'unreadable') later(() => events.unreadable({ path, reason }));
    else later(() => events.refused({ path, code: decoded.code, reason }));
  }
  for (const tell of untold) tell();
  return false;
};
