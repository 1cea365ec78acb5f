import { countOf } from '../model/count-of.ts';
import { describeSeenIn } from '../model/history-coverage.ts';
import type { ContiguousRange } from '../model/transfer-reader.ts';
import type { Parties } from './read-parties.ts';
import type { Ruling } from './settle-losses.ts';
import type { OpenGrant } from './victims-report.ts';

type Told = {
  readonly rulings: readonly Ruling[];
  readonly parties: Pick<Parties, 'own'>;
  readonly revocable: readonly OpenGrant[];
  /** Of blocks, and of those whose grants are kept. */
  readonly span: ContiguousRange | null;
  readonly controlSpan: ContiguousRange | null;
};

/** What rests on who came first, and grants that a missing block may have ended, one sentence each. */
export const describeUnread = ({ rulings, parties, revocable, span, controlSpan }: Told): string[] => {
  if (span === null || span.beginsChain) return [];
  const payersOf = (rests: (ruling: Ruling) => boolean): number =>
    new Set(rulings.filter(rests).map(({ taking }) => taking.payer)).size;
  const own = payersOf(({ reason, taking }) => reason === 'own_wallet' && parties.own.has(taking.payer));
  const deceived = payersOf((ruling) => ruling.reason === null && ruling.method === 'poisoned');
  const since = controlSpan?.beginsChain ? 0 : (controlSpan?.fromUnixSeconds ?? Number.POSITIVE_INFINITY);
  const open = revocable.filter(({ timeUnixSeconds }) => timeUnixSeconds < since).length;
  return [
    ...(own === 0
      ? []
      : [
          `${countOf(own, 'payer')} counted as the address's own by whose coin came first. ${describeSeenIn(span)}`,
        ]),
    ...(deceived === 0
      ? []
      : [
          `${countOf(deceived, 'payer')} counted as deceived by a look-alike: which of two came later. ${describeSeenIn(span)}`,
        ]),
    ...(open === 0
      ? []
      : [`${countOf(open, 'open grant')} may have ended since, in blocks that are not indexed.`]),
  ];
};
