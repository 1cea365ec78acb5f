import { z } from 'zod';
import { writeCase } from '../../evidence/case-file.ts';
import type { SigningKey } from '../../evidence/dsse.ts';
import { gatherLabels, type ReadLabels } from '../../evidence/gather-labels.ts';
import { type EvidenceSource, EvidenceTooLargeError, gatherRows } from '../../evidence/gather-rows.ts';
import { ApiError } from '../errors.ts';

/** What a service signs cases with. */
export type CaseExport = EvidenceSource & {
  readonly readLabels: ReadLabels;
  /** Read each time, because a command may have made a new one. */
  readonly signing: () => Promise<SigningKey>;
  readonly version: string;
};

type Asked = {
  /** The texts of the case's steps, as they are kept. */
  readonly steps: readonly string[];
  readonly atUnixSeconds: number;
  readonly signal: AbortSignal;
};

const STEP = z.object({ type: z.string(), flow: z.unknown().optional(), computed: z.boolean().optional() });

/**
 * The signed file of the answers of a case, as bytes of a zip. Only what this service computed is signed. Throws `ApiError`
 * `not_computed_here`, `body_too_large`.
 */
export const exportCase = async (
  { readLabels, signing, version, ...source }: CaseExport,
  { steps, atUnixSeconds: madeAtUnixSeconds, signal }: Asked,
): Promise<Uint8Array> => {
  const answered = steps
    .map((text) => STEP.parse(JSON.parse(text)))
    .filter(({ type }) => type === 'answered');
  if (answered.length === 0 || answered.some(({ computed }) => computed !== true))
    throw new ApiError('not_computed_here');
  const answers = { answers: answered.map(({ flow }) => flow) };
  const found = await gatherRows(answers, source, signal).catch((cause: unknown) => {
    if (!(cause instanceof EvidenceTooLargeError)) throw cause;
    throw new ApiError('body_too_large', { sentence: 'The transactions of this case hold too much.', cause });
  });
  const content = { question: null, answer: JSON.stringify(answers), version, madeAtUnixSeconds };
  const labels = await gatherLabels(answers, readLabels, signal);
  return writeCase({ ...content, ...found, labels }, [await signing()]);
};
