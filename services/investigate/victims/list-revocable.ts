import type { Address } from '../model/address.ts';
import { isListed, toCanonicalAsset } from '../model/asset.ts';
import type { Chain } from '../model/chain.ts';
import { compareControl, type PlacedControlEvent } from '../model/control-reader.ts';
import type { Label } from '../model/label.ts';
import { answersByKey } from '../model/query.ts';
import {
  type ContiguousRange,
  compareTransactions,
  type TransactionPosition,
} from '../model/transfer-reader.ts';
import type { Values } from '../model/value-amounts.ts';
import { findOpenGrants, isApproval, type StandingGrant } from './find-open-grants.ts';
import type { Grants } from './read-grants.ts';
import { HELD_MAX, OPEN_MAX } from './rules.ts';
import type { Ruling } from './settle-losses.ts';
import type { VictimsReads } from './victims-reader.ts';
import type { OpenGrant, VictimsRequest } from './victims-report.ts';

type GrantFacts = {
  readonly request: VictimsRequest;
  readonly grants: readonly Grants[];
  readonly rulings: readonly Ruling[];
  readonly labels: ReadonlyMap<Address, Label>;
  readonly values: Values;
  readonly span: ContiguousRange | null;
};

/**
 * Lists grants to the address and its spenders that are still open, with what each holder still has at risk
 * and what is doubtful in it.
 */
export const listRevocable = async (
  told: GrantFacts,
  reads: VictimsReads,
): Promise<{ readonly revocable: readonly OpenGrant[]; readonly gaps: readonly string[] }> => {
  const { chain } = told.request;
  const open = findOpen(told);
  const isWorth = ({ canonicalAsset }: StandingGrant): number =>
    Number(canonicalAsset === null || isListed(chain, canonicalAsset));
  const newest = open
    .toSorted((a, b) => isWorth(b) - isWorth(a) || compareControl(b.event, a.event))
    .slice(0, HELD_MAX);
  // One query for each asset.
  const assets = new Set([...new Set(newest.map(({ canonicalAsset }) => canonicalAsset))].slice(0, OPEN_MAX));
  const asked = newest.filter(({ canonicalAsset }) => assets.has(canonicalAsset));
  const held = await readHeld(chain, asked, reads);
  const canTake = ({ event, canonicalAsset }: StandingGrant): number =>
    Number((held.get(`${event.holder} ${canonicalAsset}`) ?? 0n) > 0n);
  const first = asked
    .toSorted((a, b) => canTake(b) - canTake(a) || b.event.blockTime - a.event.blockTime)
    .slice(0, OPEN_MAX);
  const standing = await withoutWithdrawn(chain, first, reads);
  if (open.length > OPEN_MAX) reads.session.leaveOut('open grants', describeCut(open));
  const gaps = describeOverstated(standing, told);
  return { revocable: standing.map((grant) => toOpenGrant(grant, told, held)), gaps };
};

const findOpen = ({ request, grants, rulings, span }: GrantFacts): StandingGrant[] => {
  const byPayer = Map.groupBy(
    rulings.map(({ taking }) => taking),
    ({ payer }) => payer,
  );
  return grants.flatMap((given) =>
    findOpenGrants(request.chain, given, {
      nowUnixSeconds: span?.toUnixSeconds ?? 0,
      spent: (grant, canonicalAsset) =>
        (byPayer.get(grant.holder ?? '') ?? [])
          .filter((taking) => taking.canonicalAsset === canonicalAsset && isAfter(taking, grant))
          .filter(({ rows }) => rows.some(({ authority }) => authority === given.hand))
          .reduce((sum, { lostRaw }) => sum + lostRaw, 0n),
    }),
  );
};

/**
 * A permit is submitted with its allowed amount, and a closed account is reported with its closing authority.
 * An approval in the same transaction may only state the remaining allowance.
 */
const isAfter = (taking: TransactionPosition, grant: PlacedControlEvent): boolean => {
  const order = compareTransactions(taking, grant);
  const isUsedAtOnce = grant.kind === 'permit' || grant.detail === 'close';
  return isUsedAtOnce ? order >= 0 : order > 0;
};

const describeCut = (open: readonly StandingGrant[]): string =>
  `Only ${OPEN_MAX} of ${open.length} open grants were looked at for \`revocable\`: what can be taken now first, then the newest.`;

/** What was taken outside the period is not read. */
const describeOverstated = (standing: readonly StandingGrant[], { request, span }: GrantFacts): string[] => {
  const { fromUnixSeconds, toUnixSeconds } = request;
  const isCutOff = (span?.toUnixSeconds ?? 0) > toUnixSeconds;
  const isOverstated = standing.some(
    ({ event, remainingRaw }) => remainingRaw !== null && (isCutOff || event.blockTime < fromUnixSeconds),
  );
  return isOverstated
    ? [
        'Allowances are reduced only by what was taken in the period asked for: if more was taken at other times, less is left.',
      ]
    : [];
};

/**
 * A Solana account has one delegate and one owner, and a wallet runs one code (EIP-7702). A later change ends the
 * earlier grant, whoever it names.
 */
const withoutWithdrawn = async (
  chain: Chain,
  open: readonly StandingGrant[],
  { controls }: VictimsReads,
): Promise<readonly StandingGrant[]> => {
  const single = open.filter(({ event }) => chain.family !== 'evm' || event.kind === 'code_delegated');
  if (single.length === 0) return open;
  const latest = await Promise.all(
    single.map(({ event }) =>
      controls.eventsOf({ chain: chain.name, kinds: [event.kind], order: 'newest_first', limit: 20 }, [
        { address: event.subject },
      ]),
    ),
  );
  const ended = single.filter(({ event }, index) => {
    const later = (latest[index]?.[0]?.events ?? []).find((each) => sayTheSame(each, event));
    return later !== undefined && compareControl(later, event) > 0;
  });
  return open.filter((grant) => !ended.includes(grant));
};

const sayTheSame = (a: PlacedControlEvent, b: PlacedControlEvent): boolean =>
  isApproval(a.kind) ? isApproval(b.kind) : a.kind === b.kind && a.detail === b.detail;

const readHeld = async (
  chain: Chain,
  standing: readonly StandingGrant[],
  { tokens }: VictimsReads,
): Promise<ReadonlyMap<string, bigint>> => {
  const byAsset = Map.groupBy(standing, ({ canonicalAsset }) => canonicalAsset);
  const answers = await Promise.all(
    [...byAsset].map(async ([token, own]) => {
      if (token === null) return [];
      const wallets = [...new Set(own.flatMap(({ event }) => event.holder ?? []))];
      const balances = await answersByKey(
        tokens.balance,
        { chain: chain.name, canonicalAsset: token },
        wallets,
      );
      return [...balances].map(([wallet, raw]) => [`${wallet} ${token}`, raw] as const);
    }),
  );
  return new Map(answers.flat());
};

const toOpenGrant = (
  { event, canonicalAsset, remainingRaw }: StandingGrant,
  { request: { chain }, labels, values, span }: GrantFacts,
  held: ReadonlyMap<string, bigint>,
): OpenGrant => {
  const holder = event.holder ?? '';
  const kind = kindOf(chain, event);
  return {
    kind,
    holder,
    subject: event.subject,
    amountRaw: remainingRaw,
    signature: event.signature,
    timeUnixSeconds: event.blockTime,
    label: labels.get(holder) ?? null,
    hand: event.party ?? '',
    asset: canonicalAsset === null ? null : values.assetOf(toCanonicalAsset(chain, canonicalAsset)),
    // A sum of some rows would be wrong.
    heldRaw:
      canonicalAsset === null || span?.beginsChain !== true
        ? null
        : (held.get(`${holder} ${canonicalAsset}`) ?? 0n),
    canRevoke: kind !== 'authority' || event.detail === 'close',
    detail: ADVICE[kind],
  };
};

const kindOf = (chain: Chain, { kind }: PlacedControlEvent): OpenGrant['kind'] => {
  if (isApproval(kind)) return chain.family === 'evm' ? 'allowance' : 'delegate';
  return kind === 'code_delegated' ? 'code' : 'authority';
};

const ADVICE: Readonly<Record<OpenGrant['kind'], string>> = {
  allowance: 'The holder must set the allowance to 0 at the token, or at Permit2 where it was given there.',
  delegate: 'The holder must send Revoke for the token account.',
  authority:
    'The new owner controls it: only a close authority can be taken back, by the old owner. Move what is left.',
  code: 'The holder must sign a delegation to the null address (EIP-7702), from a device that is not compromised.',
};
