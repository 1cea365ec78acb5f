import { promisify } from 'node:util';
import { deflate, inflate } from 'node:zlib';
import { type EventLog, LogError } from '../platform/event-log/event-log.ts';
import { type CaseCodec, STEPS } from './case-codec.ts';
import type { Piece } from './decider/case.ts';
import { LIMITS } from './decider/decide.ts';

const pack = promisify(deflate);
const unpack = promisify(inflate);

/** A step before it is written. */
type Packed = {
  readonly caseId: string;
  readonly value: Buffer;
  readonly size: Pick<Piece, 'textBytes' | 'recordBytes'>;
};

/** Steps in the log. They count once an event names their piece. */
export const createSteps = ({
  log,
  codec,
}: {
  readonly log: Pick<EventLog, 'append' | 'read'>;
  readonly codec: CaseCodec;
}) => {
  const readOne = async (caseId: string, { partition, offset }: Piece): Promise<string> => {
    const [record] = await log.read({ topic: STEPS, partition, offset, until: offset + 1, maxBytes: 1 });
    const step = record === undefined ? null : codec.steps.decode(record.value);
    // After the topic was recreated, that position may hold a step of another case.
    if (step?.case_id !== caseId)
      throw new LogError('not_kept', `step ${partition}:${offset} is kept no longer`);
    return (await unpack(step.packed, { maxOutputLength: LIMITS.textBytes })).toString();
  };
  return {
    pack: async (caseId: string, text: string): Promise<Packed> => {
      const bytes = Buffer.from(text);
      const value = codec.steps.encode({ case_id: caseId, packed: await pack(bytes) });
      return { caseId, value, size: { textBytes: bytes.length, recordBytes: value.length } };
    },
    /** Durable when it resolves. Throws `LogError`, `RecordTooLargeError` among them. */
    write: async ({ caseId, value, size }: Packed): Promise<Piece> => {
      const [position] = await log.append([{ topic: STEPS, key: caseId, value }]);
      if (position === undefined) throw new LogError('not_written', `step of case ${caseId}`);
      const { partition, offset } = position;
      return { partition, offset, ...size };
    },
    /** The texts, in order. */
    read: async (caseId: string, pieces: readonly Piece[]): Promise<readonly string[]> => {
      const texts: string[] = [];
      for (const piece of pieces) texts.push(await readOne(caseId, piece));
      return texts;
    },
  };
};
