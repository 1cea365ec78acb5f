import { randomUUID } from 'node:crypto';

/** In one piece: `randomUUID` joins some twenty, and the ledger, which remembers a million ids, would keep them all. */
export const newCallId = (): string => Buffer.from(randomUUID(), 'latin1').toString('latin1');
