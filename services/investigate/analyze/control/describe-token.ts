import { toShare } from '../../model/amount.ts';
import type { Asset } from '../../model/asset.ts';
import { isListed } from '../../model/asset.ts';
import { type AuthorityRole, readMetadata, type TokenMetadata } from '../../model/control-event.ts';
import type { PlacedControlEvent } from '../../model/control-reader.ts';
import { isPassing } from '../../model/label.ts';
import type { Ask } from '../ask.ts';
import { traceFunding } from '../trace-funding.ts';
import type { Authority, Done, Holder, RedFlag, TokenProfile } from './control-profile.ts';
import { describeMaker } from './describe-program.ts';
import { findAuthority, findChanges, toDone } from './find-authority.ts';
import { type Control, findBirth, isKeptSince } from './read-control.ts';

const HOLDERS_TOLD = 20;
const TOKEN_ROLES: readonly AuthorityRole[] = [
  ...(['mint', 'freeze', 'metadata', 'permanent_delegate'] as const),
  ...(['transfer_fee', 'transfer_hook', 'pause', 'owner'] as const),
];

/** Who made a token, who has power over it, and who holds it. Holders are counted from the first block that named it. */
export const describeToken = async (token: Asset, control: Control, ask: Ask): Promise<TokenProfile> => {
  const birth = findBirth(control);
  const creator = await describeMaker(birth, ask);
  const [held, creatorFunding] = await Promise.all([
    ask.attempt('holders', () => readHolders(token, ask)),
    creator && ask.attempt('creator', () => traceFunding(creator.address, ask)),
  ]);
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
    creator,
    creatorFunding: creatorFunding ?? null,
    launch: birth === null ? (held?.first ?? null) : toDone(birth),
    supplyRaw: birth === null ? null : (held?.supplyRaw ?? null),
    metadata: told?.detail ? toMetadata(told.detail) : null,
    ...authorities,
    changes,
    holders: held?.holders ?? null,
    top: held?.top ?? [],
    redFlags: isListed(ask.chain, token) ? [] : findRedFlags(authorities, changes, held?.top ?? []),
  };
};

const toMetadata = (detail: string): TokenMetadata | null => {
  try {
    return readMetadata(detail);
  } catch {
    return null;
  }
};

/** Whoever wrote it last may write it again, unless that was handed on since. */
const metadataAuthority = (
  told: PlacedControlEvent | undefined,
  changed: Authority,
  control: Control,
): Authority => {
  if (told === undefined || told.holder === null || !isKeptSince(control, told.blockTime)) return changed;
  if (changed.since !== null && changed.since.block >= told.blockNumber) return changed;
  return { status: 'held', address: told.holder, since: toDone(told) };
};

type Held = {
  readonly first: Done | null;
  readonly supplyRaw: bigint;
  readonly holders: number;
  readonly top: readonly Holder[];
};

const readHolders = async (token: Asset, { tokens, reader, limits }: Ask): Promise<Held | null> => {
  const first = await tokens.firstSeen({ ...limits(), token });
  if (first === null) return null;
  const [{ supplyRaw, holders, top }, [signature = null]] = await Promise.all([
    tokens.holders({ ...limits(), token, fromBlock: first.blockNumber, limit: HOLDERS_TOLD }),
    reader.transactionHashes({ ...limits(), positions: [first] }),
  ]);
  const labels = await reader.labels({ ...limits(), addresses: top.map(({ address }) => address) });
  return {
    first: signature === null ? null : { signature, time: first.blockTime, block: first.blockNumber },
    ...{ supplyRaw, holders },
    top: top.map(({ address, amountRaw }) => ({
      ...{ address, amountRaw, label: labels.get(address) ?? null },
      share: supplyRaw > 0n ? toShare(amountRaw, supplyRaw) : 0,
    })),
  };
};

const MOST = 0.5;

/** What lets somebody take what holders have, or make it worth nothing. Of listed tokens that is their issuer's business. */
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
  // A service or pool holds for many.
  const whale = top.find(({ share, label }) => share >= MOST && !(label && isPassing(label.kind)));
  if (whale)
    flags.push({
      code: 'one_holder',
      detail: `${whale.address} holds ${Math.round(whale.share * 100)} % of it.`,
    });
  return flags;
};
