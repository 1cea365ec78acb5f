import type { Job, Uncharged } from './job-book.ts';
import type { JobLedger } from './worker-ports.ts';

/** A wave has two minutes to be charged. Anything left after that is charged under new ids. */
const LASTS_MS = 120_000;
/** Maximum difference between the ledger's clock and this one. */
const CLOCKS_MS = 60_000;

export const deadlineFrom = (nowUnixMs: number): number => nowUnixMs + LASTS_MS;

/**
 * Whether a call that another process made in this attempt, and that is still under way, may be posted yet.
 */
export const mayBePosted = ({ deadlineUnixMs }: Uncharged, nowUnixMs: number): boolean =>
  nowUnixMs < deadlineUnixMs + CLOCKS_MS;

/** Calls whose commands are written together. Cancellations are checked in between. */
const TOGETHER = 20;

type Charging = {
  readonly ledger: JobLedger;
  /** Whether this process began the attempt, so that no other process has calls of it under way. */
  readonly isOwn: boolean;
  readonly mayGoOn: () => Promise<boolean>;
};

/**
 * Charges the uncharged anchors of a wave and returns the indexes that are charged now. The ledger forgets
 * calls a minute after their deadline, but its events remain, so they show what an ended process has charged.
 * All calls of an attempt have one permanent deadline, after which nothing is reserved, and a refused call
 * stays refused. So no two attempts charge the same anchor.
 */
export const chargeWave = async (
  { id, accountId, keyId, run }: Job,
  { attempt, deadlineUnixMs, ledgerOffset, priced }: Uncharged,
  { ledger, isOwn, mayGoOn }: Charging,
): Promise<readonly number[]> => {
  const prefix = `retrace:${id}:${run}:${attempt}:`;
  const findPosted = () => ledger.findPosted(accountId, ledgerOffset, prefix);
  const posted = await findPosted();
  const places = priced.filter((place) => !posted.has(`${prefix}${place}`));
  let isAll = true;
  for (let at = 0; at < places.length; at += TOGETHER) {
    if (!(await mayGoOn())) {
      isAll = false;
      break;
    }
    const outcomes = await Promise.all(
      places
        .slice(at, at + TOGETHER)
        .map((place) => ledger.charge({ accountId, keyId, callId: `${prefix}${place}`, deadlineUnixMs })),
    );
    if (outcomes.every((outcome) => outcome === 'charged')) continue;
    isAll = false;
    // For each call that an ended process may have under way, asks the ledger, which decides it for good.
    if (isOwn) break;
  }
  if (isAll) return priced;
  const all = await findPosted();
  return priced.filter((place) => all.has(`${prefix}${place}`));
};
