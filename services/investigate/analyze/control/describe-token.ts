import type { Address } from '../../model/address.ts';
import { toShare } from '../../model/amount.ts';
import type { Asset } from '../../model/asset.ts';
import { isListed } from '../../model/asset.ts';
import { type AuthorityRole, readMetadata, type TokenMetadata } from '../../model/control-event.ts';
import type { PlacedControlEvent } from '../../model/control-reader.ts';
import { isReadSince, isTokenRead } from '../../model/history-coverage.ts';
import { isPassing } from '../../model/label.ts';
import type { Holders } from '../../model/token-reader.ts';
import { transactionKey } from '../../model/transfer-reader.ts';
import type { QueryContext } from '../query-context.ts';
import { traceFunding } from '../trace-funding.ts';
import type { Authority, Done, Holder, Maker, RedFlag, TokenProfile } from './control-profile.ts';
import { describeMaker } from './describe-program.ts';
import { findAuthority, findChanges, toDone } from './find-authority.ts';
import { type Control, findBirth } from './read-control.ts';

const HOLDERS_TOLD = 20;
/** The token's events in the first block that names it. */
const FIRST_ROWS_MAX = 1_000;
const TOKEN_ROLES: readonly AuthorityRole[] = [
  ...(['mint', 'freeze', 'metadata', 'permanent_delegate'] as const),
  ...(['transfer_fee', 'transfer_hook', 'pause', 'owner'] as const),
];

/**
 * Describes a token: who created it, who controls it, who holds it. Holders are counted from the first block
 * that named the token, and only when all blocks since its creation are indexed: otherwise supply, shares and
 * the first sender are unknown.
 */
export const describeToken = async (
  token: Asset,
  control: Control,
  context: QueryContext,
): Promise<TokenProfile> => {
  const birth = findBirth(control);
  const isWhole = isTokenRead(await context.readSpan(), birth);
  const held = isWhole ? await context.attempt('holders', () => readHolders(token, context)) : null;
  const creator = (await describeMaker(birth, context)) ?? (await describeSender(held, context));
  const creatorFunding =
    creator && (await context.attempt('creator', () => traceFunding(creator.address, context)));
  const changes = findChanges(control.events, TOKEN_ROLES);
  const authorityOf = (role: AuthorityRole): Authority =>
    findAuthority(
      changes.filter((change) => change.role === role),
      control,
    );
  const told = control.events.filter(({ kind }) => kind === 'metadata').at(-1);
  const authorities = {
    mintAuthority: authorityOf('mint'),
    freezeAuthority: authorityOf('freeze'),
    metadataAuthority: metadataAuthority(told, authorityOf('metadata'), control),
  };
  return {
    creator: creator && { ...creator, isInferred: birth === null },
    creatorFunding: creatorFunding ?? null,
    launch: birth === null ? (held?.first ?? null) : toDone(birth),
    supplyRaw: held?.supplyRaw ?? null,
    metadata: told?.detail ? toMetadata(told.detail) : null,
    ...authorities,
    changes,
    holders: held?.holders ?? null,
    top: held?.top ?? [],
    redFlags: isListed(context.chain, token) ? [] : findRedFlags(authorities, changes, held?.top ?? []),
  };
};

const toMetadata = (detail: string): TokenMetadata | null => {
  try {
    return readMetadata(detail);
  } catch {
    return null;
  }
};

/** The last writer of the metadata may write again, unless that authority was handed on since. */
const metadataAuthority = (
  told: PlacedControlEvent | undefined,
  changed: Authority,
  control: Control,
): Authority => {
  if (told === undefined || told.holder === null || !isReadSince(control.span, told)) return changed;
  if (changed.since !== null && changed.since.block >= told.blockNumber) return changed;
  return { status: 'held', address: told.holder, since: toDone(told) };
};

/** The sender of the first transaction with the token. */
const describeSender = async (
  held: TokenFacts | null,
  { reader, onChain }: QueryContext,
): Promise<Maker | null> => {
  if (held?.first == null || held.sender === null) return null;
  const { first, sender: address } = held;
  const [label = null] = await reader.labels(onChain, [address]);
  return { ...first, address, label };
};

type TokenFacts = {
  readonly first: Done | null;
  /** Of that transaction. */
  readonly sender: Address | null;
  readonly supplyRaw: bigint;
  readonly holders: number;
  readonly top: readonly Holder[];
};

const readHolders = async (
  token: Asset,
  { tokens, reader, onChain }: QueryContext,
): Promise<TokenFacts | null> => {
  const [first = null] = await tokens.firstSeen(onChain, [token]);
  if (first === null) return null;
  const since = { token, fromBlock: first.blockNumber };
  const [[held], [early = []]] = await Promise.all([
    tokens.holders({ ...onChain, limit: HOLDERS_TOLD }, [since]),
    tokens.tokenMovements({ ...onChain, limit: FIRST_ROWS_MAX }, [
      { ...since, toUnixSeconds: first.blockTime },
    ]),
  ]);
  const { supplyRaw, holders, top } = held as Holders;
  const row = early.find((each) => transactionKey(each) === transactionKey(first));
  const labels = await reader.labels(
    onChain,
    top.map(({ address }) => address),
  );
  return {
    first: row ? { signature: row.hash, time: first.blockTime, block: first.blockNumber } : null,
    sender: row?.sender ?? null,
    supplyRaw,
    holders,
    top: top.map(({ address, amountRaw }, at) => ({
      address,
      amountRaw,
      label: labels[at] ?? null,
      share: supplyRaw > 0n ? toShare(amountRaw, supplyRaw) : 0,
    })),
  };
};

const MOST = 0.5;

/**
 * Powers that let somebody take holders' tokens or make them worthless. For listed tokens they are the
 * issuer's normal business.
 */
const findRedFlags = (
  { mintAuthority, freezeAuthority }: Pick<TokenProfile, 'mintAuthority' | 'freezeAuthority'>,
  changes: TokenProfile['changes'],
  top: readonly Holder[],
): readonly RedFlag[] => {
  const flags: RedFlag[] = [];
  if (mintAuthority.status === 'held')
    flags.push({
      code: 'mint_authority',
      detail: `${mintAuthority.address} can issue more of it at any time.`,
    });
  if (freezeAuthority.status === 'held')
    flags.push({
      code: 'freeze_authority',
      detail: `${freezeAuthority.address} can freeze what holders have.`,
    });
  const handed = changes.find(
    ({ role, from, to }) => role === 'mint' && from !== null && to !== null && from !== to,
  );
  if (handed)
    flags.push({
      code: 'mint_authority_handed_on',
      detail: `The right to issue it went from ${handed.from} to ${handed.to}.`,
    });
  const delegate = changes.findLast(({ role }) => role === 'permanent_delegate');
  if (delegate && delegate.to !== null)
    flags.push({ code: 'permanent_delegate', detail: `${delegate.to} can take it from every holder.` });
  // A service or pool holds tokens for many people.
  const whale = top.find(({ share, label }) => share >= MOST && !(label && isPassing(label.kind)));
  if (whale)
    flags.push({
      code: 'one_holder',
      detail: `${whale.address} holds ${Math.round(whale.share * 100)} % of it.`,
    });
  return flags;
};
