import { EngineException } from './engine-exception.ts';

/**
 * Bodies of inserts lie here until they are in their tables, in the engine's folder, which is its working directory: a path
 * of ours has no glob in it.
 */
export const INCOMING = 'incoming';

/** Names the file that the rows of an insert lie in, in place of a body. */
export const BODY_HEADER = 'x-spoor-body';

/** A name can lead nowhere else, and holds no glob. */
const NAME = /^[\w-]{1,64}$/;

/** The file that a writer says the rows of its insert lie in; null where they come with the request. */
export const readBodyName = (header: string | readonly string[] | undefined): string | null => {
  if (header === undefined) return null;
  if (typeof header === 'string' && NAME.test(header)) return header;
  throw new EngineException(36, 'BAD_ARGUMENTS', `${BODY_HEADER} names no file of ${INCOMING}`);
};
