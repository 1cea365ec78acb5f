import type { Ended } from '../../labels/end-missing.ts';
import type { ImportEvents } from '../../labels/import-labels.ts';
import { showable } from '../../platform/showable.ts';
import type { Progress } from './progress.ts';

export type ImportReport = {
  readonly events: ImportEvents;
  /** Labels that the list no longer has, or may have in refused rows. */
  ended(labels: Ended): void;
  /** What became of every row; with `json` also one line of totals on stdout. */
  print(options: { store: string | null; json: boolean }): void;
};

type Subject = { readonly format: string; readonly path: string; readonly dryRun: boolean };
type Counts = Record<string, number>;

const count = (counts: Counts, name: string): void => {
  counts[name] = (counts[name] ?? 0) + 1;
};

const listed = (counts: Readonly<Counts>): string =>
  Object.entries(counts)
    .map(([name, rows]) => `${name} ${rows}`)
    .join(', ') || 'none';

/** Counts an import's rows, prints every refused one, and prints totals at the end. */
export const createImportReport = (progress: Progress, { format, path, dryRun }: Subject): ImportReport => {
  const outcomes = { new: 0, changed: 0, known: 0, repeated: 0 };
  const kinds: Counts = {};
  const chains: Counts = {};
  const refusals: Counts = {};
  let refused = 0;
  let further = 0;
  let missing: Ended = { ended: 0, withheld: 0 };
  const rows = (): number => refused + Object.values(outcomes).reduce((sum, n) => sum + n, 0);
  const show = (): void => progress.update(`${rows()} rows, ${refused} refused`);
  return {
    events: {
      taken: ({ kind, chain }, outcome, isFurther) => {
        if (isFurther) further += 1;
        else outcomes[outcome] += 1;
        if (outcome !== 'repeated') {
          count(kinds, kind);
          count(chains, chain);
        }
        show();
      },
      refused: ({ where, address, code, reason }, isFurther) => {
        if (!isFurther) {
          refused += 1;
          count(refusals, code);
        }
        progress.note(`refused: ${where}: ${showable(address)} ${showable(reason)} (${code})`);
        show();
      },
    },
    ended: (labels) => {
      missing = labels;
    },
    print: ({ store, json }) => {
      const totals = { rows: rows(), ...outcomes, refused, refusals, further, ...missing, kinds, chains };
      const { ended, withheld } = missing;
      const lines = [
        `${totals.rows} rows of ${path}: ${outcomes.new} new, ${outcomes.changed} changed, ${outcomes.known} known already, ${outcomes.repeated} repeated; ${further} labels more of other addresses in them`,
        ...(ended > 0 ? [`${ended} labels that are no longer in the list have ended`] : []),
        ...(withheld > 0
          ? [
              `${withheld} labels that are no longer in the list have not ended, because refused rows may contain them: correct these rows and import the list again`,
            ]
          : []),
        `kinds: ${listed(kinds)}`,
        `refused: ${refused} (${listed(refusals)})`,
        dryRun || store === null ? 'nothing was stored' : `data in ${store}`,
      ];
      for (const line of lines) progress.note(line);
      const line = { name: 'labels.import', format, file: path, dry_run: dryRun, ...totals };
      if (json) process.stdout.write(`${JSON.stringify(line)}\n`);
    },
  };
};
