import type { Address } from '../../model/address.ts';
import { isListed } from '../../model/asset.ts';
import type { PlacedControlEvent } from '../../model/control-reader.ts';
import { isReadSince } from '../../model/history-coverage.ts';
import type { Label } from '../../model/label.ts';
import type { Entry } from '../../model/profile-reader.ts';
import {
  compareTransactions,
  HAND_OVER_KINDS,
  type TransactionPosition,
  transactionKey,
} from '../../model/transfer-reader.ts';
import { PUBLIC_GRANTS_MIN } from '../../victims/rules.ts';
import type { QueryContext } from '../query-context.ts';
import { EXAMPLES_MAX } from '../rules.ts';
import type { Done } from './control-profile.ts';
import { toDone } from './find-authority.ts';
import type { Control } from './read-control.ts';

/** A delegation of the wallet to code (EIP-7702) that no later one ended. */
export type Delegation = Done & {
  readonly code: Address;
  readonly label: Label | null;
  /** Other wallets that delegated to it in indexed blocks, at most `PUBLIC_GRANTS_MIN`. */
  readonly others: number;
  /** Transactions of others in which the code paid out the wallet's money, the newest first. */
  readonly sweeps: readonly TransactionPosition[];
};

const EVENTS_MAX = 2_000;
const ACTS_MAX = 1_000;
/** Payments in others' transactions that are looked at. */
const PAYMENTS_MAX = 50;
const ROWS_MAX = 2_000;

/** null: the wallet runs no code, or a missing block may have ended it. Without a delegation it costs no query. */
export const readDelegation = async (
  wallet: Address,
  control: Control | null,
  entries: readonly Entry[],
  context: QueryContext,
): Promise<Delegation | null> => {
  const event = control?.events.findLast(({ kind }) => kind === 'code_delegated');
  const code = event?.party ?? null;
  if (event === undefined || code === null || !isReadSince(control?.span ?? null, event)) return null;
  const asked = { ...context.onChain, kinds: ['code_delegated'] as const };
  const [[label = null], [read], sweeps] = await Promise.all([
    context.reader.labels(context.onChain, [code]),
    context.control.eventsByParty({ ...asked, order: 'newest_first', limit: EVENTS_MAX }, [
      { address: code },
    ]),
    readSweeps(wallet, event, entries, context),
  ]);
  const others = new Set(read?.events.map(({ subject }) => subject).filter((subject) => subject !== wallet));
  return {
    ...toDone(event),
    ...{ code, label, sweeps },
    others: Math.min(others.size, PUBLIC_GRANTS_MIN),
  };
};

/** Only listed assets count: anybody may log transfers of a token of their own. */
const readSweeps = async (
  wallet: Address,
  since: PlacedControlEvent,
  entries: readonly Entry[],
  { chain, onChain, control, reader }: QueryContext,
): Promise<readonly TransactionPosition[]> => {
  const paid = entries
    .filter(({ direction, isSender, kind, amountRaw }) => {
      const isPaid = direction === 'out' && amountRaw > 0n && HAND_OVER_KINDS.some((each) => each === kind);
      return isPaid && !isSender;
    })
    .filter((entry) => isListed(chain, entry.canonicalAsset) && compareTransactions(entry, since) >= 0);
  const positions = [...new Map(paid.map((entry) => [transactionKey(entry), entry])).values()].slice(
    0,
    PAYMENTS_MAX,
  );
  if (positions.length === 0) return [];
  const times = positions.map(({ blockTime }) => blockTime);
  const [read, [acts]] = await Promise.all([
    reader.wholeTransactions({ ...onChain, limit: ROWS_MAX }, positions),
    control.eventsOf({ ...onChain, kinds: ['account_acted'], order: 'newest_first', limit: ACTS_MAX }, [
      { address: wallet, fromUnixSeconds: Math.min(...times), toUnixSeconds: Math.max(...times) },
    ]),
  ]);
  const signed = new Set(acts?.events.map(transactionKey));
  const rows = read.flatMap((all) => all ?? []);
  // A row with an authority used an allowance.
  const byCode = new Set(
    rows.filter(({ from, authority }) => from === wallet && authority === null).map(transactionKey),
  );
  return positions
    .filter((position) => byCode.has(transactionKey(position)) && !signed.has(transactionKey(position)))
    .slice(0, EXAMPLES_MAX);
};
