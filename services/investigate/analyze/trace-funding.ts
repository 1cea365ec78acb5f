import type { Address } from '../model/address.ts';
import { describeSeenIn, READ_SECONDS_MIN, secondsReadBefore } from '../model/history-coverage.ts';
import { isService, type Label } from '../model/label.ts';
import { compareTransactions } from '../model/transfer-reader.ts';
import type { FundingChain, FundingEnd, FundingStep } from './funding-chain.ts';
import type { QueryContext } from './query-context.ts';
import { FUNDING_STEPS_MAX } from './rules.ts';

/**
 * Finds who first sent the wallet the chain's coin, who first funded that funder, and so on, until a service,
 * a labelled address or the step limit. A funder that was itself funded only after it had paid has an unknown
 * source. Only all blocks before show who came first. Without them a wallet must have been silent for a day
 * before, else the chain ends there, and `seenIn` says what was read. Two queries a step: one for the funder,
 * one for labels.
 */
export const traceFunding = async (wallet: Address, context: QueryContext): Promise<FundingChain | null> => {
  const steps: FundingStep[] = [];
  const span = await context.readSpan();
  let seenIn: string | null = null;
  const finish = (end: FundingEnd): FundingChain | null =>
    steps.length === 0 ? null : { steps, end, seenIn };
  const seen = new Set([wallet]);
  let current = wallet;
  while (steps.length < FUNDING_STEPS_MAX) {
    const found = await context.reader.firstFunding({ ...context.onChain, wallet: current });
    const later = steps.at(-1);
    if (found === null || (later && compareTransactions(found, later) >= 0)) return finish('unknown');
    if ((await context.historyOf(current)) !== 'whole') {
      const seconds = secondsReadBefore(span, found);
      if (seconds < READ_SECONDS_MIN) return finish('unread');
      if (Number.isFinite(seconds)) seenIn = describeSeenIn(span);
    }
    const label = await labelOf(found.funder, context);
    steps.push({ ...found, wallet: current, label });
    if (isService(label)) return finish('service');
    if (label !== null) return finish('labelled');
    if (seen.has(found.funder)) return finish('loop');
    seen.add(found.funder);
    current = found.funder;
  }
  return finish('steps');
};

const labelOf = async (address: Address, { reader, onChain }: QueryContext): Promise<Label | null> =>
  (await reader.labels(onChain, [address]))[0] ?? null;
