import type { Address } from '../../model/address.ts';
import { toShare } from '../../model/amount.ts';
import type { Asset } from '../../model/asset.ts';
import { isListed } from '../../model/asset.ts';
import { type AuthorityRole, readMetadata, type TokenMetadata } from '../../model/control-event.ts';
import type { PlacedControlEvent } from '../../model/control-reader.ts';
import { isReadBefore, isReadSince, isTokenRead } from '../../model/history-coverage.ts';
import { isPassing } from '../../model/label.ts';
import type { Holders } from '../../model/token-reader.ts';
import { type TransactionPosition, transactionKey } from '../../model/transfer-reader.ts';
import type { QueryContext } from '../query-context.ts';
import { traceFunding } from '../trace-funding.ts';
import type { Authority, Holder, Maker, RedFlag, TokenProfile } from './control-profile.ts';
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
 * that named the token, and only when all blocks since its creation are indexed: otherwise supply and shares are
 * unknown. The first sender is known where no block before it is missing, too.
 */
export const describeToken = async (
  token: Asset,
  control: Control,
  context: QueryContext,
): Promise<TokenProfile> => {
  const birth = findBirth(control);
  const span = await context.readSpan();
  const isWhole = isTokenRead(span, birth);
  const mayTell = isWhole || (span !== null && span.beginningToBlock !== null);
  const seen = mayTell ? await context.attempt('launch', () => readFirst(token, context)) : null;
  const held =
    seen !== null && isWhole
      ? await context.attempt('holders', () => readHolders(token, seen, context))
      : null;
  const first = seen !== null && (isWhole || isReadBefore(span, seen)) ? seen : null;
  const creator = (await describeMaker(birth, context)) ?? (await describeSender(first, context));
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
    launch: birth === null ? first && toDone(first) : toDone(birth),
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
  first: First | null,
  { reader, onChain }: QueryContext,
): Promise<Maker | null> => {
  if (first === null) return null;
  const [label = null] = await reader.labels(onChain, [first.sender]);
  return { ...toDone(first), address: first.sender, label };
};

/** The first transaction with the token. */
type First = TransactionPosition & { readonly signature: string; readonly sender: Address };

const readFirst = async (token: Asset, { tokens, onChain }: QueryContext): Promise<First | null> => {
  const [first = null] = await tokens.firstSeen(onChain, [token]);
  if (first === null) return null;
  const [early = []] = await tokens.tokenMovements({ ...onChain, limit: FIRST_ROWS_MAX }, [
    { token, fromBlock: first.blockNumber, toUnixSeconds: first.blockTime },
  ]);
  const row = early.find((each) => transactionKey(each) === transactionKey(first));
  return row === undefined ? null : { ...first, signature: row.hash, sender: row.sender };
};

type TokenFacts = {
  readonly supplyRaw: bigint;
  readonly holders: number;
  readonly top: readonly Holder[];
};

const readHolders = async (
  token: Asset,
  first: TransactionPosition,
  { tokens, reader, onChain }: QueryContext,
): Promise<TokenFacts> => {
  const [held] = await tokens.holders({ ...onChain, limit: HOLDERS_TOLD }, [
    { token, fromBlock: first.blockNumber },
  ]);
  const { supplyRaw, holders, top } = held as Holders;
  const labels = await reader.labels(
    onChain,
    top.map(({ address }) => address),
  );
  return {
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
