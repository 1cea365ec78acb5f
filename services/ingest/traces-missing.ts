import type { DecodedBlock } from '../investigate/model/block.ts';

export const TRACES_MISSING = 'traces_missing';

/** A block of a chain whose calls are traced otherwise: what they moved inside transactions is not in it. */
export const withTracesMissing = (block: DecodedBlock): DecodedBlock => {
  if (block.problems.some(({ code }) => code === TRACES_MISSING)) return block;
  const message = 'no node could trace the calls of this block: what they moved is left out';
  return { ...block, problems: [...block.problems, { code: TRACES_MISSING, txIndex: null, message }] };
};
