import type { Directory } from '../../accounts/directory.ts';
import type { Payer } from '../../credits/decider/state.ts';
import { TARIFFS } from '../../credits/decider/tariffs.ts';
import type { Ledger } from '../../credits/ledger.ts';
import type { LedgerCodec } from '../../credits/ledger-codec.ts';
import type { EventLog } from '../../platform/event-log/event-log.ts';
import { partitionForKey } from '../../platform/event-log/partition-for-key.ts';
import type { JobLedger } from '../../retrace/worker-ports.ts';

type Over = {
  readonly log: Pick<EventLog, 'read' | 'ranges'>;
  readonly codec: LedgerCodec;
  readonly ledger: Pick<Ledger, 'submit' | 'balance'>;
  readonly directory: Pick<Directory, 'key'>;
};

const EVENTS = 'ledger.events';
const READ_BYTES = 4 << 20;
const payerOf = (accountId: string): Payer => `account:${accountId}`;

/** Each anchor of a job is a /trace call in the ledger, reserved and posted at once. */
export const createJobLedger = ({ log, codec, ledger, directory }: Over): JobLedger => {
  const rangeOf = async (accountId: string) => {
    const ranges = await log.ranges(EVENTS);
    const partition = partitionForKey(payerOf(accountId), ranges.length);
    return { topic: EVENTS, partition, end: ranges.find((range) => range.partition === partition)?.end ?? 0 };
  };
  return {
    affordable: ({ accountId, keyId }) => {
      const key = directory.key(keyId);
      if (key === null || key.revokedUnixMs !== null) return { anchors: 0, reason: 'key_revoked' };
      const { tracesLeft, packCredits } = ledger.balance(payerOf(accountId));
      const { units, credits } = TARIFFS.trace;
      const anchors = Math.floor(tracesLeft / units) + Math.floor(packCredits / credits);
      return { anchors, reason: 'insufficient_credits' };
    },
    offset: async (accountId) => (await rangeOf(accountId)).end,
    findPosted: async (accountId, from, prefix) => {
      const { end, ...place } = await rangeOf(accountId);
      const posted = new Set<string>();
      for (let offset = from; offset < end; ) {
        const records = await log.read({ ...place, offset, until: end, maxBytes: READ_BYTES });
        if (records.length === 0) break;
        for (const { value } of records) {
          const { event } = codec.decodeEntry(value);
          if (event.type === 'CallPosted' && event.callId.startsWith(prefix)) posted.add(event.callId);
        }
        offset = (records.at(-1)?.offset ?? offset) + 1;
      }
      return posted;
    },
    charge: async ({ accountId, keyId, callId, deadlineUnixMs }) => {
      const payer = payerOf(accountId);
      const reserve = { type: 'ReserveCall', callId, tariff: 'trace', keyId, deadlineUnixMs } as const;
      // Not awaited in between: the ledger decides both in this order, and the next call's reservation after
      // them.
      const answers = [
        ledger.submit(payer, reserve),
        ledger.submit(payer, { type: 'PostCall', callId }),
      ] as const;
      const [, { status }] = await Promise.all(answers);
      return status === 'posted' ? 'charged' : 'refused';
    },
  };
};
