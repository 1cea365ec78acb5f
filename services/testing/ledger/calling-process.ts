/** Reserves and posts calls on the ledger of a place until it is killed, and prints each answer once it has it. */
import { randomUUID } from 'node:crypto';
import { LedgerUnavailableError } from '../../credits/ledger.ts';
import { openLedgerEngine } from './open-ledger-engine.ts';
import { openLedgerOn } from './temporary-ledger.ts';

const DEADLINE_MS = 1_000;
const CONCURRENT = 3;

const [place = '', payer = ''] = process.argv.slice(2);
const { ledger } = await openLedgerOn(await openLedgerEngine(JSON.parse(place)));

/** As long as nobody decides: where several die at once, brokers may wait for one after the other. */
const untilAnswered = async (...request: Parameters<typeof ledger.submit>) => {
  for (;;) {
    try {
      return await ledger.submit(...request);
    } catch (error) {
      if (!(error instanceof LedgerUnavailableError)) throw error;
    }
  }
};

const callAgain = async (): Promise<void> => {
  for (;;) {
    const callId = randomUUID();
    const deadlineUnixMs = Date.now() + DEADLINE_MS;
    const reserve = { type: 'ReserveCall', callId, tariff: 'trace', keyId: 'k', deadlineUnixMs } as const;
    const reserved = await untilAnswered(`account:${payer}`, reserve);
    if (reserved.status !== 'reserved') continue;
    const { status } = await untilAnswered(`account:${payer}`, { type: 'PostCall', callId });
    process.stdout.write(`${status} ${callId}\n`);
  }
};
await Promise.all(Array.from({ length: CONCURRENT }, callAgain));
