import { toEventSelector } from 'viem/utils';
import { type Log, wordOf } from '../read-log.ts';
import {
  type ControlContext,
  type ControlDraft,
  type ControlLog,
  draft,
  isByHolder,
  partyIn,
} from './control-log.ts';

const toChange = (
  { address: subject }: Log,
  context: ControlContext,
  [before, after]: readonly [string, string],
  role: 'owner' | 'proxy_admin',
): ControlDraft | null => {
  const [holder, party] = [partyIn(before, context), partyIn(after, context)];
  if (holder === undefined || party === undefined) return null;
  const byHolder = isByHolder(holder, subject, context);
  return draft({ kind: 'authority_changed', subject, holder, party, detail: role, byHolder });
};

/** ERC-1967: the proxy's new code. */
const toUpgrade = (log: Log, context: ControlContext, detail: string | null): ControlDraft | null => {
  const party = partyIn(log.topics[1] ?? '', context);
  return party ? draft({ kind: 'program_upgraded', subject: log.address, party, detail }) : null;
};

export const ownershipLogs: readonly ControlLog[] = [
  {
    topic: toEventSelector('OwnershipTransferred(address,address)'),
    read: (log, context) => {
      const [, before, after] = log.topics;
      // Older contracts do not index the two.
      const words = [before ?? wordOf(log.data, 0), after ?? wordOf(log.data, 1)] as const;
      return toChange(log, context, words, 'owner');
    },
  },
  {
    topic: toEventSelector('AdminChanged(address,address)'),
    read: (log, context) => toChange(log, context, [wordOf(log.data, 0), wordOf(log.data, 1)], 'proxy_admin'),
  },
  { topic: toEventSelector('Upgraded(address)'), read: (log, context) => toUpgrade(log, context, null) },
  {
    topic: toEventSelector('BeaconUpgraded(address)'),
    read: (log, context) => toUpgrade(log, context, 'beacon'),
  },
];
