import { toEventSelector } from 'viem/utils';
import { amountOf, type Log, wordOf } from '../read-log.ts';
import {
  type ControlContext,
  type ControlDraft,
  type ControlLog,
  draft,
  isByHolder,
  partyIn,
} from './control-log.ts';
import { isPermitted } from './permits.ts';

/** The same address on every chain: https://github.com/Uniswap/permit2 */
export const PERMIT2 = '0x000000000022d473030f116ddee9f6b43ac78ba3';

type Approved = {
  readonly holder: string;
  readonly party: string | null;
  readonly amountRaw: bigint;
  readonly detail?: string;
};

const toDraft = (log: Log, context: ControlContext, { holder, ...approved }: Approved): ControlDraft => {
  const byHolder = isByHolder(holder, log.address, context);
  const kind = !byHolder && isPermitted(holder, log.address, context) ? 'permit' : 'approval';
  return draft({ kind, subject: log.address, holder, byHolder, ...approved });
};

/** ERC-20 has the amount in its data, ERC-721 the token id as its fourth topic. */
const readApproval = (log: Log, context: ControlContext): ControlDraft | null => {
  const [, ownerWord = '', spenderWord = '', idWord] = log.topics;
  const [holder, party] = [partyIn(ownerWord, context), partyIn(spenderWord, context)];
  const value = amountOf(idWord ?? log.data);
  if (!holder || party === undefined || value === null) return null;
  if (idWord === undefined && log.data.length !== 66) return null;
  const amountRaw = idWord === undefined ? value : party === null ? 0n : 1n;
  const scope = idWord === undefined ? {} : { detail: `id:${value}` };
  return toDraft(log, context, { holder, party, amountRaw, ...scope });
};

const readApprovalForAll = (log: Log, context: ControlContext): ControlDraft | null => {
  const [, ownerWord = '', operatorWord = ''] = log.topics;
  const [holder, party] = [partyIn(ownerWord, context), partyIn(operatorWord, context)];
  const isApproved = log.data.length === 66 ? amountOf(log.data) : null;
  if (!holder || !party || isApproved === null) return null;
  return toDraft(log, context, { holder, party, amountRaw: isApproved === 0n ? 0n : 1n, detail: 'all' });
};

/** Permit2's allowances expire. `Permit` means a signature, which the owner himself may have sent. */
const readPermit2 =
  (kind: 'approval' | 'permit') =>
  (log: Log, context: ControlContext): ControlDraft | null => {
    if (log.address !== PERMIT2 || log.data.length < 2 + 2 * 64) return null;
    const [, ownerWord = '', tokenWord = '', spenderWord = ''] = log.topics;
    const [holder, subject, party] = [ownerWord, tokenWord, spenderWord].map((word) =>
      partyIn(word, context),
    );
    const [amountRaw, until] = [amountOf(wordOf(log.data, 0)), amountOf(wordOf(log.data, 1))];
    if (!holder || !subject || !party || amountRaw === null || until === null) return null;
    const byHolder = isByHolder(holder, PERMIT2, context);
    const parties = { subject, holder, party, emitter: PERMIT2 };
    return draft({ kind, ...parties, amountRaw, detail: `until:${until}`, byHolder });
  };

const readLockdown = (log: Log, context: ControlContext): ControlDraft | null => {
  if (log.address !== PERMIT2) return null;
  const words = [log.topics[1] ?? '', wordOf(log.data, 0), wordOf(log.data, 1)];
  const [holder, subject, party] = words.map((word) => partyIn(word, context));
  if (!holder || !subject || !party) return null;
  return draft({ kind: 'approval', subject, holder, party, emitter: PERMIT2, byHolder: true });
};

export const approvalLogs: readonly ControlLog[] = [
  { topic: toEventSelector('Approval(address,address,uint256)'), read: readApproval },
  { topic: toEventSelector('ApprovalForAll(address,address,bool)'), read: readApprovalForAll },
  {
    topic: toEventSelector('Approval(address,address,address,uint160,uint48)'),
    read: readPermit2('approval'),
  },
  {
    topic: toEventSelector('Permit(address,address,address,uint160,uint48,uint48)'),
    read: readPermit2('permit'),
  },
  { topic: toEventSelector('Lockdown(address,address,address)'), read: readLockdown },
];
