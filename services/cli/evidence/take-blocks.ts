import type { RowJudge } from '../../evidence/verify-rows.ts';
import { findBlockFiles } from '../../ingest/files/block-files.ts';
import { createAnswerBudget } from '../../ingest/nodes/answer-budget.ts';
import { SourceError } from '../../ingest/nodes/source-error.ts';
import { findChain } from '../../investigate/model/chain.ts';
import { openSource } from '../../roles/ingest/open-source.ts';

const ANSWER_BYTES_MAX = 256 << 20;

/** Decodes every block file and hands it to the judge. Throws what a file that cannot be read throws. */
export const takeFromFiles = async (judge: RowJudge, paths: readonly string[]): Promise<void> => {
  if (paths.length === 0) return;
  for await (const file of findBlockFiles(paths, { chain: null, votes: 'each' }))
    judge.take((await file.read()).decode());
};

/** Asks nodes for the blocks that have not come yet. A node that lacks one leaves its rows unavailable. */
export const takeFromNodes = async (
  judge: RowJudge,
  rpc: readonly string[],
  signal: AbortSignal,
): Promise<void> => {
  if (rpc.length === 0) return;
  for (const [chain, missing] of Map.groupBy(judge.missing(), (each) => each.chain)) {
    const rpcUrls = rpc.flatMap((text) => urlOf(text, chain));
    const isKnown = findChain(chain) !== null;
    if (rpcUrls.length === 0 || !isKnown) continue;
    const source = openSource(
      { name: chain, rpcUrls, commitment: 'finalized' },
      { budget: createAnswerBudget(ANSWER_BYTES_MAX), rested: () => {} },
    );
    for (const { block } of missing) {
      try {
        const found = await source.fetch(block, signal);
        if (found.status === 'block') judge.take(found.decoded);
      } catch (error) {
        if (!(error instanceof SourceError)) throw error;
      }
    }
  }
};

const urlOf = (text: string, chain: string): string[] => {
  const [, named, url] = /^([a-z][a-z0-9-]*)=(.+)$/.exec(text) ?? [];
  if (url === undefined) return [text];
  return named === chain ? [url] : [];
};
