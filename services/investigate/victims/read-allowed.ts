import type { Address } from '../model/address.ts';
import { toCanonicalAsset } from '../model/asset.ts';
import type { PlacedControlEvent } from '../model/control-reader.ts';
import { compareTransactions } from '../model/transfer-reader.ts';
import { type Allowed, findMethod, mayBeHandedOver } from './find-method.ts';
import { type Grants, isCrowded, readGrants } from './read-grants.ts';
import { readOwnActs } from './read-own-acts.ts';
import { isDoubtful, isServiceLabel, type Parties } from './read-parties.ts';
import { HANDS_MAX, HOLDERS_ASKED_MAX, ORDER_CONTRACTS } from './rules.ts';
import { byFrequency, takeSome } from './take-some.ts';
import type { VictimsReads } from './victims-reader.ts';
import type { VictimsRequest } from './victims-report.ts';
import type { Taking } from './weigh-transaction.ts';

export type AllowedGrants = Allowed & {
  /** Grants to the subject and to its own spenders, without public contracts. */
  readonly grants: readonly Grants[];
};

/** Reads what the victims allowed the address and every spender that moved their money for it. */
export const readAllowed = async (
  request: VictimsRequest,
  {
    takings,
    own,
    parties,
  }: { readonly takings: readonly Taking[]; readonly own: Grants; readonly parties: Parties },
  reads: VictimsReads,
): Promise<AllowedGrants> => {
  const { chain, address: subject } = request;
  const foreign = takings.filter((taking) => {
    const method = findMethod(chain, taking);
    return method !== 'transfer' && method !== 'contract' && taking.gains.length === 0;
  });
  const payers = new Set(foreign.map(({ payer }) => payer));
  const isKnownPublic = (hand: Address): boolean =>
    ORDER_CONTRACTS.has(hand) || isServiceLabel(parties.labels.get(hand));
  const moved = foreign.flatMap(({ rows }) => rows.flatMap(({ authority }) => authority ?? []));
  const unknown = moved.filter((hand) => hand !== subject && !isKnownPublic(hand));
  const hands = takeSome(byFrequency(unknown), HANDS_MAX, HANDS, reads);
  const read = await Promise.all(hands.map((hand) => readGrants(request, hand, reads)));
  const all = [own, ...read];
  const crowded = new Set(all.filter((given) => isCrowded(given, payers)).map(({ hand }) => hand));
  const [handedOver, acts] = await Promise.all([
    readHandedOver(request, takings, reads),
    readOwnActs(request, takings, reads),
  ]);
  const isPublic = (hand: Address): boolean => isKnownPublic(hand) || crowded.has(hand);
  const toPublic = await readGivenToPublic(request, takings, { isPublic, reads });
  const events = [...all.flatMap((given) => given.events), ...handedOver, ...toPublic];
  const byHolder = Map.groupBy(events, ({ holder }) => holder);
  return {
    grants: [
      ...all.filter(({ hand }) => !crowded.has(hand)),
      ...byProgram(handedOver, all),
      ...acts.delegations.filter(({ hand }) => hand !== subject),
    ],
    actOf: acts.actOf,
    isPublic,
    grantOf: (taking) =>
      (byHolder.get(taking.payer) ?? [])
        .filter((event) => isAbout(event, taking, chain) && compareTransactions(event, taking) <= 0)
        .sort(compareTransactions)
        .at(-1) ?? null,
  };
};

/** Grants of wallets that were assigned to a program that is not yet a known spender. */
const byProgram = (handedOver: readonly PlacedControlEvent[], known: readonly Grants[]): Grants[] =>
  [...Map.groupBy(handedOver, ({ party }) => party)].flatMap(([hand, events]) =>
    hand === null || known.some((given) => given.hand === hand) ? [] : [{ hand, events, isCut: false }],
  );

const isAbout = (
  { kind, subject, asset, amountRaw }: PlacedControlEvent,
  { canonicalAsset }: Taking,
  chain: VictimsRequest['chain'],
): boolean => {
  if (kind === 'approval' || kind === 'permit')
    return amountRaw > 0n && toCanonicalAsset(chain, asset ?? subject) === canonicalAsset;
  return asset === null || toCanonicalAsset(chain, asset) === canonicalAsset;
};

const HANDS = {
  part: 'spenders',
  at: 'spenders were looked at for what others allowed them: `revocable` may lack some, and what the others are is not known.',
};
const HOLDERS = {
  part: 'markets',
  at: 'payers of unlisted tokens were looked at for what they allowed a market: what the others lost may count as unproven.',
};
const OWNERS = {
  part: 'programs',
  at: 'payers were looked at for whether their wallet was handed over to a program.',
};

type Asking = {
  readonly isPublic: (hand: Address) => boolean;
  readonly reads: VictimsReads;
};

/**
 * Reads approvals of public contracts from the holder's side, for unlisted tokens. Such a contract has too
 * many approvals to read them from its own side.
 */
const readGivenToPublic = async (
  request: VictimsRequest,
  takings: readonly Taking[],
  { isPublic, reads }: Asking,
): Promise<readonly PlacedControlEvent[]> => {
  const doubtful = takings.filter(
    (taking) =>
      isDoubtful(request, taking) &&
      taking.rows.some(({ authority }) => authority !== null && isPublic(authority)),
  );
  const payers = takeSome(byFrequency(doubtful.map(({ payer }) => payer)), HOLDERS_ASKED_MAX, HOLDERS, reads);
  const read = await reads.controls.eventsOfHolder(
    { chain: request.chain.name, kinds: ['approval', 'permit'], order: 'newest_first', limit: 100 },
    payers.map((address) => ({ address, toUnixSeconds: request.toUnixSeconds })),
  );
  return read.flatMap(({ events }) => events);
};

/**
 * For payers whose coin moved without an instruction of theirs: whether their wallet was assigned to a
 * program (System `Assign`).
 */
const readHandedOver = async (
  { chain }: VictimsRequest,
  takings: readonly Taking[],
  reads: VictimsReads,
): Promise<readonly PlacedControlEvent[]> => {
  if (chain.family === 'evm') return [];
  const moved = takings.filter((taking) => mayBeHandedOver(chain, taking));
  const payers = takeSome(byFrequency(moved.map(({ payer }) => payer)), HOLDERS_ASKED_MAX, OWNERS, reads);
  const read = await reads.controls.eventsOfHolder(
    { chain: chain.name, kinds: ['owner_assigned'], order: 'oldest_first', limit: 10 },
    payers.map((address) => ({ address })),
  );
  return read.flatMap(({ events }) => events);
};
