import type { VoidReason } from '../../credits/decider/events.ts';
import type { TariffName } from '../../credits/decider/tariffs.ts';
import type { Address } from '../../investigate/model/address.ts';
import type { Backfills } from '../../investigate/model/backfills.ts';
import type { Chain } from '../../investigate/model/chain.ts';
import type { ListedWindow } from '../../investigate/model/history.ts';
import type { HistoryReader } from '../../investigate/model/history-reader.ts';
import { unlessUnread } from '../../investigate/session/left-out.ts';
import type { ApiState } from '../context.ts';
import { type Asker, type AskForWallet, askInTime, type Wanted } from './ask-in-time.ts';
import type { ContinueCall } from './continue-call.ts';
import { presentMissing, presentRead } from './present-reading.ts';
import { type BeingRead, readMissing } from './read-missing.ts';

export type RunQuestionDependencies = {
  readonly continueCall: ContinueCall;
  /** Read at each call. */
  readonly backfills: () => Backfills;
  readonly askForWallet: AskForWallet;
  /** How single histories were read; absent: answers do not tell. */
  readonly histories?: HistoryReader;
  /** How long a call may take that has histories read; 0: it tells which are missing at once. */
  readonly waitForWalletsMs: number;
};

export type Question<Found, Answer> = {
  readonly tariff: TariffName;
  readonly chain: Chain;
  /** If the caller wants to wait less than the service would. */
  readonly budgetMs?: number;
  /** Answers from what is known now, within so much time. `isAgain`: there is an answer already. */
  readonly answer: (leftMs: number, isAgain: boolean) => Promise<Found>;
  /** Histories that the answer lacks and that can be read, the most important first. */
  readonly missing: (found: Found, known: Backfills) => readonly Wanted[];
  /** Why the answer costs nothing; null if it is charged. */
  readonly free: (found: Found) => VoidReason | null;
  /** Whose histories it rests on. */
  readonly addresses: (found: Found) => readonly Address[];
  readonly present: (found: Found, told: Told) => Answer | Promise<Answer>;
};

export type Told = {
  readonly beingRead: readonly Address[];
  /** Whether this call is charged for the answer. */
  readonly isCharged: boolean;
};

type Asked = {
  readonly path: string;
  readonly state: Pick<ApiState, 'body' | 'caller' | 'from' | 'signal' | 'onReading'>;
};

/** Of one question's end: what was read is told within this time, or not. */
const READ_TIMEOUT_MS = 2_000;
/** Whose readings one answer tells. */
const ADDRESSES_MAX = 500;

export type RunQuestion = <Found, Answer extends { readonly meta: object }>(
  asked: Asked,
  question: Question<Found, Answer>,
) => Promise<Answer & { readonly continuation: string | null }>;

/**
 * Answers a question, has what it lacks read within its time, and tells how it was read and what is still missing.
 * Charges the call once, however often it goes on. Throws what the question throws, and what `ContinueCall` throws.
 */
export const createRunQuestion = (dependencies: RunQuestionDependencies): RunQuestion => {
  const { continueCall, backfills, askForWallet, histories, waitForWalletsMs } = dependencies;
  const ask = askInTime(askForWallet);

  const readWindows = async (
    { name: chain }: Chain,
    addresses: readonly Address[],
    signal: AbortSignal,
  ): Promise<readonly ListedWindow[]> => {
    const asked = [...new Set(addresses)].slice(0, ADDRESSES_MAX);
    if (histories === undefined || !backfills().canBackfill(chain) || asked.length === 0) return [];
    const reading = histories.windows({ chain }, asked, { signal, timeoutMs: READ_TIMEOUT_MS });
    return (await unlessUnread(reading, [])).flat();
  };

  return ({ path, state }, question) => {
    const { caller, body, signal, onReading } = state;
    const { tariff, chain, answer, missing, free, budgetMs = Number.POSITIVE_INFINITY } = question;
    return continueCall({ caller, tariff, path, body }, async ({ isCharged }) => {
      const { answer: found, beingRead } = await readMissing({
        ...{ chain: chain.name, backfills, signal, answer, missing },
        budgetMs: Math.min(budgetMs, waitForWalletsMs),
        ask: (wanted, found) => ask(chain.name, wanted, askerOf(state, !isCharged && free(found) !== null)),
        ...(onReading && { onEvent: (event) => onReading(chain, event) }),
      });
      const windows = await readWindows(chain, question.addresses(found), signal);
      const isFree = free(found);
      const told = { beingRead: addressesOf(beingRead), isCharged: !isCharged && isFree === null };
      const { meta, ...presented } = await question.present(found, told);
      const read = presentRead(chain, windows);
      const lacks = presentMissing(chain, beingRead);
      return {
        answer: { ...presented, meta: { ...meta, read, missing: lacks } } as never,
        free: isFree,
        isUnfinished: beingRead.length > 0,
      };
    });
  };
};

const addressesOf = (beingRead: readonly BeingRead[]): Address[] => [
  ...new Set(beingRead.map(({ address }) => address)),
];

const askerOf = ({ caller, from }: Pick<ApiState, 'caller' | 'from'>, isFree: boolean): Asker => ({
  payer: caller.kind === 'account' ? `account:${caller.accountId}` : from.name,
  // Where nobody pays, who asks from this machine is its operator.
  isPaid: caller.kind === 'anyone' ? from.isLocal : !isFree,
});
