import type { Address } from '../model/address.ts';
import { stablecoinsOf } from '../model/asset.ts';
import { NATIVE } from '../model/movement.ts';
import type { TimeRange, TraceReader } from '../model/trace-reader.ts';
import type { Ask } from './ask.ts';
import { chooseMode } from './choose-mode.ts';
import { type Calibration, combineEvidence } from './combine-evidence.ts';
import { findAnchor } from './find-anchor.ts';
import { type Fit, findFits, type Search } from './find-fits.ts';
import { gatherEvidence } from './gather-evidence.ts';
import { findQuiet, resolveMiddle } from './resolve-middle.ts';
import { CANDIDATES_MAX, READ_TIMEOUT_MS, SEARCHED_MAX } from './rules.ts';
import { signCandidates } from './sign-candidates.ts';
import type { EvidenceByWallet, FoundCandidate } from './suspects.ts';
import type { EvidenceFamily, Trace, TraceRequest } from './trace-answer.ts';
import { chooseWindow } from './window.ts';

export type TraceDependencies = {
  readonly reader: TraceReader;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
};

/** What graders change of a trace, and nobody else. */
export type TraceOptions = {
  readonly calibration?: Calibration;
  readonly candidatesMax?: number;
  /** Evidence that is left out. */
  readonly without?: ReadonlySet<EvidenceFamily>;
  /** A window in which the owner's own transfer cannot be: what is found there is found by chance. */
  readonly placeboRange?: TimeRange;
};

/**
 * The wallets on the other side of a mixer or an exchange that may be the same person's, best first. Throws
 * `TraceRefusedError` where the request cannot be traced, `ReadFailedError` where the tables cannot be read.
 */
export const trace = async (
  request: TraceRequest,
  { reader, signal }: TraceDependencies,
  options: TraceOptions = {},
): Promise<Trace> => {
  const { chain } = request;
  const ask: Ask = {
    reader,
    limits: { chain: chain.name, signal, timeoutMs: READ_TIMEOUT_MS },
    families: [NATIVE, ...stablecoinsOf(chain).map(({ asset }) => asset)],
  };
  const search = await prepare(request, ask, options);
  const { anchor, middle, range } = search;
  const found = await findFits(search, ask);
  const byWallet = groupFits(found.fits, anchor.timeUnixSeconds);
  const evidence = await gatherEvidence(search, byWallet, ask);
  const candidates = rankCandidates({ search, byWallet, evidence, anonymitySet: found.fits.length, options });
  const shown = candidates.slice(0, options.candidatesMax ?? CANDIDATES_MAX);
  const wallets = await ask.reader.serviceWallets({
    ...ask.limits,
    entity: middle.entity,
    limit: SEARCHED_MAX,
  });
  const isKnown = wallets.addresses.includes(request.counterparty);
  // A deposit address that no list knows was searched through the service behind it.
  const searched = isKnown
    ? wallets.addresses
    : [request.counterparty, ...wallets.addresses].slice(0, SEARCHED_MAX);
  return {
    chain,
    entity: middle.entity,
    kind: middle.kind,
    direction: request.direction === 'out' ? 'forward' : 'backward',
    anchor,
    window: {
      ...range,
      searched,
      searchedTotal: Math.max(wallets.total, searched.length),
      transactions: found.read,
      complete: found.complete,
    },
    anonymitySet: found.fits.length,
    excluded: found.excluded,
    candidates: await signCandidates(shown, { search, via: await findVia(search, shown, ask) }, ask),
    candidatesTotal: candidates.length,
  };
};

const prepare = async (request: TraceRequest, ask: Ask, { placeboRange }: TraceOptions): Promise<Search> => {
  const middle = await resolveMiddle(request.counterparty, ask);
  const anchor = await findAnchor(request, ask);
  const range = placeboRange ?? chooseWindow(request, middle.kind, anchor.timeUnixSeconds);
  const [moved] = anchor.moved;
  const found =
    moved === undefined
      ? ({ mode: 'free', denominationRaw: null } as const)
      : await chooseMode(request.counterparty, { middle, moved, range }, ask);
  return { request, anchor, middle, found, range, isPlacebo: placeboRange !== undefined };
};

/** The fits of each wallet, the nearest in time to the anchor first; the wallets likewise. */
const groupFits = (fits: readonly Fit[], anchorUnixSeconds: number): ReadonlyMap<Address, readonly Fit[]> => {
  const distance = ({ blockTime }: Fit): number => Math.abs(blockTime - anchorUnixSeconds);
  return Map.groupBy(
    fits.toSorted((a, b) => distance(a) - distance(b)),
    ({ counterparty }) => counterparty,
  );
};

type Ranking = {
  readonly search: Search;
  readonly byWallet: ReadonlyMap<Address, readonly Fit[]>;
  readonly evidence: EvidenceByWallet;
  readonly anonymitySet: number;
  readonly options: TraceOptions;
};

/** By confidence; of equal ones the nearest in time is shown first, which says nothing of its odds. */
const rankCandidates = ({ search, byWallet, evidence, anonymitySet, options }: Ranking): FoundCandidate[] => {
  const crowd = { anonymitySet, mode: search.found.mode };
  return [...byWallet]
    .map(([wallet, fits]): FoundCandidate => {
      const counted = (evidence.get(wallet) ?? []).filter(({ family }) => !options.without?.has(family));
      const confidence = combineEvidence(counted, crowd, options.calibration);
      return { wallet, fits, evidence: counted, confidence };
    })
    .sort((a, b) => b.confidence - a.confidence);
};

/** The deposit address that each shown candidate's money, or the anchor's, went through. */
const findVia = async (
  { request, middle }: Search,
  shown: readonly FoundCandidate[],
  ask: Ask,
): Promise<(candidate: FoundCandidate) => Address | null> => {
  if (middle.kind === 'mixer') return () => null;
  if (request.direction === 'out') return () => middle.depositAddress;
  const entered = [...new Set(shown.flatMap(({ fits }) => fits.slice(0, 1).map(({ wallet }) => wallet)))];
  const quiet = await findQuiet(entered, ask);
  return ({ fits: [fit] }) => (fit !== undefined && quiet.has(fit.wallet) ? fit.wallet : null);
};
