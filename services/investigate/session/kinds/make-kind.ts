import type { Kind } from '../kind.ts';

/** The kind itself: only its types are told. */
export const kind = <Common, Key, Answer>(of: Kind<Common, Key, Answer>): Kind<Common, Key, Answer> => of;
