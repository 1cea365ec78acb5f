import { CallCounts } from '../ingest/count-calls.ts';
import type { BlockTransaction } from '../investigate/model/block.ts';
import type { ControlEvent } from '../investigate/model/control-event.ts';
import type { BulkNames } from './bulk-addresses.ts';
import type { Random } from './random.ts';

/**
 * Shares of transactions, chosen to match real Ethereum blocks per movement, fees included (17173049, 17300000,
 * 18000000: 0.16 to 0.19 counts of calls, 0.04 to 0.10 approvals).
 */
const CALLING_SHARE = 0.26;
const APPROVING_SHARE = 0.12;
const PROGRAMS = 2_000;
/** Like wallets: few programs get most of the calls. */
const SKEW = 3;

/** Program calls and approvals in a block of noise. */
export const drawControl = (
  transactions: readonly BlockTransaction[],
  { random, names }: { readonly random: Random; readonly names: BulkNames },
): readonly ControlEvent[] => {
  const program = (): string => names.address(3_900_000_000 + Math.floor(PROGRAMS * random.unit() ** SKEW));
  const calls = new CallCounts();
  const approvals: ControlEvent[] = [];
  for (const transaction of transactions) {
    const { txIndex, sender } = transaction;
    if (random.unit() < CALLING_SHARE) calls.add(program(), sender, transaction);
    if (random.unit() >= APPROVING_SHARE) continue;
    approvals.push({
      ...{ txIndex, index: 0, kind: 'approval', subject: program(), holder: sender, party: program() },
      ...{ asset: null, amountRaw: 2n ** 256n - 1n, detail: null, emitter: null, byHolder: true },
    });
  }
  return [...approvals, ...calls.toEvents(approvals)];
};
