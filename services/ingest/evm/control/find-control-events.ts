import type { ControlEvent } from '../../../investigate/model/control-event.ts';
import type { Log } from '../read-log.ts';
import type { Creation } from '../walk-call-trace.ts';
import { accountActLogs } from './account-acts.ts';
import { approvalLogs } from './approvals.ts';
import { type ControlContext, type ControlDraft, draft } from './control-log.ts';
import { freezeLogs } from './freezes.ts';
import { ownershipLogs } from './ownership.ts';

const LOGS = new Map(
  [...approvalLogs, ...ownershipLogs, ...freezeLogs, ...accountActLogs].map((event) => [event.topic, event]),
);

/** Whether its topic is one of a possible control event. */
export const isControlLog = ({ topics: [topic = ''] }: Log): boolean => LOGS.has(topic);

type Found = {
  readonly creations: readonly Creation[];
  readonly logs: readonly Log[];
  readonly delegations: readonly ControlDraft[];
};

/** The control events of one successful transaction, in order: delegations, creations, and its logs. */
export const findControlEvents = (
  txIndex: number,
  { creations, logs, delegations }: Found,
  context: ControlContext,
): readonly ControlEvent[] => {
  const drafts = [
    ...delegations,
    ...creations.map((creation) => toCreated(creation, context)),
    ...logs.flatMap((log) => LOGS.get(log.topics[0] ?? '')?.read(log, context) ?? []),
  ];
  return drafts.map((event, index) => ({ txIndex, index, ...event }));
};

const toCreated = ({ contract, creator }: Creation, { sender }: ControlContext): ControlDraft =>
  draft({
    kind: 'contract_created',
    subject: contract,
    holder: sender,
    party: creator === sender ? null : creator,
    byHolder: true,
  });
