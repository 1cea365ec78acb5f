import type { Address } from '../model/address.ts';
import { assetFamily } from '../model/asset.ts';
import type { Budget } from '../model/budget.ts';
import type { Chain } from '../model/chain.ts';
import { compareControl, type PlacedControlEvent } from '../model/control-reader.ts';
import type { Label } from '../model/label.ts';
import { compareTransactions, type UnbrokenSpan } from '../model/transfer-reader.ts';
import type { Values } from '../model/value-amounts.ts';
import { findOpenGrants, isApproval, type StandingGrant } from './find-open-grants.ts';
import type { Grants } from './read-grants.ts';
import { OPEN_MAX } from './rules.ts';
import type { Ruling } from './settle-losses.ts';
import type { VictimsDependencies } from './victims-reader.ts';
import type { OpenGrant, VictimsRequest } from './victims-report.ts';

type Told = {
  readonly request: VictimsRequest;
  readonly grants: readonly Grants[];
  readonly rulings: readonly Ruling[];
  readonly labels: ReadonlyMap<Address, Label>;
  readonly values: Values;
  readonly span: UnbrokenSpan | null;
};

/** What is still open to the address and its hands, with what each holder has of it. */
export const listRevocable = async (
  told: Told,
  dependencies: VictimsDependencies,
  budget: Budget,
): Promise<OpenGrant[]> => {
  const { request, grants, rulings, span } = told;
  const losses = rulings.flatMap((ruling) => (ruling.reason === null ? [ruling.taking] : []));
  const open = grants.flatMap((given) =>
    findOpenGrants(request.chain, given, {
      nowUnixSeconds: span?.toUnixSeconds ?? 0,
      spent: (grant, family) =>
        losses
          .filter((loss) => loss.payer === grant.holder && loss.family === family)
          .filter((loss) => compareTransactions(loss, grant) > 0)
          .filter(({ rows }) => rows.some(({ authority }) => authority === given.hand))
          .reduce((sum, { lostRaw }) => sum + lostRaw, 0n),
    }),
  );
  const standing = await withoutWithdrawn(request.chain, open.slice(0, OPEN_MAX), dependencies, budget);
  const held = await readHeld(request.chain, standing, dependencies, budget);
  return standing
    .map((grant) => toOpenGrant(grant, told, held))
    .sort(
      (a, b) =>
        Number((b.heldRaw ?? 0n) > 0n) - Number((a.heldRaw ?? 0n) > 0n) ||
        b.timeUnixSeconds - a.timeUnixSeconds,
    );
};

/** A Solana account has one delegate and one owner: whatever is said of it later, to whomever, ends what was before. */
const withoutWithdrawn = async (
  chain: Chain,
  open: readonly StandingGrant[],
  { controls }: VictimsDependencies,
  budget: Budget,
): Promise<readonly StandingGrant[]> => {
  if (chain.family === 'evm' || open.length === 0) return open;
  const limits = budget.limits();
  const latest = await Promise.all(
    open.map(({ event }) =>
      controls.eventsOf({
        ...{
          chain: chain.name,
          address: event.subject,
          kinds: [event.kind],
          order: 'newest_first',
          limit: 20,
        },
        ...limits,
      }),
    ),
  );
  return open.filter(({ event }, at) => {
    const later = (latest[at]?.events ?? []).find((each) => sayTheSame(each, event));
    return later === undefined || compareControl(later, event) <= 0;
  });
};

const sayTheSame = (a: PlacedControlEvent, b: PlacedControlEvent): boolean =>
  isApproval(a.kind) ? isApproval(b.kind) : a.kind === b.kind && a.detail === b.detail;

const readHeld = async (
  chain: Chain,
  standing: readonly StandingGrant[],
  { tokens }: VictimsDependencies,
  budget: Budget,
): Promise<ReadonlyMap<string, bigint>> => {
  const byAsset = Map.groupBy(standing, ({ family }) => family);
  const limits = budget.limits();
  const answers = await Promise.all(
    [...byAsset].map(async ([token, own]) => {
      if (token === null) return [];
      const wallets = [...new Set(own.flatMap(({ event }) => event.holder ?? []))];
      const balances = await tokens.balances({ chain: chain.name, token, wallets, ...limits });
      return [...balances].map(([wallet, raw]) => [`${wallet} ${token}`, raw] as const);
    }),
  );
  return new Map(answers.flat());
};

const toOpenGrant = (
  { event, family, leftRaw }: StandingGrant,
  { request: { chain }, labels, values }: Told,
  held: ReadonlyMap<string, bigint>,
): OpenGrant => {
  const holder = event.holder ?? '';
  const kind = kindOf(chain, event);
  return {
    ...{ kind, holder, subject: event.subject, amountRaw: leftRaw },
    ...{ signature: event.signature, timeUnixSeconds: event.blockTime },
    label: labels.get(holder) ?? null,
    hand: event.party ?? '',
    asset: family === null ? null : values.assetOf(assetFamily(chain, family)),
    heldRaw: family === null ? null : (held.get(`${holder} ${family}`) ?? 0n),
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
    'The new hand controls it: only a close authority can be taken back, by the owner. Move what is left.',
  code: 'The holder must sign a delegation to the null address (EIP-7702), from a device that is not compromised.',
};
