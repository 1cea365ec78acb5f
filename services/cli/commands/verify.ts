import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { readCase } from '../../evidence/case-file.ts';
import { chooseKey } from '../../evidence/choose-key.ts';
import type { Cited } from '../../evidence/statement.ts';
import { type Finding, verifyCase } from '../../evidence/verify-case.ts';
import { type JudgedRow, RowJudge, type Verdict } from '../../evidence/verify-rows.ts';
import { showableLine } from '../../platform/showable.ts';
import { takeFromFiles, takeFromNodes } from '../evidence/take-blocks.ts';
import { example } from '../example.ts';
import { interruptSignal } from '../interrupt.ts';
import { whileWaiting } from '../reports/start-waiting.ts';

type Options = {
  readonly key: string;
  readonly blocks?: string[];
  readonly rpc?: string[];
  readonly json?: boolean;
};

/** Nothing is wrong; something is; nothing is wrong, but not every row could be looked at. */
const EXIT = { verified: 0, wrong: 1, incomplete: 3 };

/** `spoor verify CASE`: checks a case without any service or database. */
export const verifyCommand = (): Command =>
  new Command('verify')
    .description('Check a case: signature and digests, and with blocks of your own every movement.')
    .argument('<case>', 'the zip file')
    .requiredOption('--key <file>', 'public key from the operator: PEM, or his spoor-keys.json')
    .option('--blocks <paths...>', 'block files or folders, as spoor decode takes them')
    .option('--rpc <urls...>', 'nodes to ask, as URL, or CHAIN=URL where there are several chains')
    .option('--json', 'one JSON line on stdout')
    .addHelpText(
      'after',
      '\nExit code 0: what was looked at is right; 1: something is wrong; 3: nothing is wrong, but a transaction has no\nevidence, or a block was not there.',
    )
    .addHelpText(
      'after',
      example(
        'spoor verify case.zip --key spoor.pub',
        'spoor verify case.zip --key spoor.pub --blocks blocks',
      ),
    )
    .action(async (file: string, options: Options) => {
      process.exitCode = await verify(file, options, interruptSignal());
    });

const verify = async (file: string, options: Options, signal: AbortSignal): Promise<number> => {
  const { key, blocks = [], rpc = [], json } = options;
  const handed = readCase(readFileSync(file));
  const { findings, rows, statement } = verifyCase(
    handed,
    chooseKey(readFileSync(key, 'utf8'), handed.envelope),
  );
  const isLooked = blocks.length + rpc.length > 0;
  const judge = new RowJudge(rows);
  if (isLooked)
    await whileWaiting('decoding the blocks again', async () => {
      await takeFromFiles(judge, blocks);
      await takeFromNodes(judge, rpc, signal);
    });
  const judged = isLooked ? judge.verdicts() : null;
  const without = statement?.predicate.without_evidence ?? [];
  const checked: Checked = { findings, judged, rows: rows.length, without };
  if (json) process.stdout.write(`${JSON.stringify(toReport(checked))}\n`);
  else process.stdout.write(`${draw(checked)}\n`);
  if (
    findings.some(({ problem }) => problem !== null) ||
    judged?.some(({ verdict }) => verdict === 'mismatch')
  )
    return EXIT.wrong;
  const isIncomplete = without.length > 0 || judged?.some(({ verdict }) => verdict === 'not_available');
  return isIncomplete ? EXIT.incomplete : EXIT.verified;
};

type Checked = {
  readonly findings: readonly Finding[];
  /** null: no blocks were given. */
  readonly judged: readonly JudgedRow[] | null;
  readonly rows: number;
  readonly without: readonly Cited[];
};

const VERDICTS: readonly Verdict[] = ['verified', 'mismatch', 'not_available'];
const countsOf = (judged: readonly JudgedRow[]): Record<string, number> =>
  Object.fromEntries(
    VERDICTS.map((verdict) => [verdict, judged.filter((row) => row.verdict === verdict).length]),
  );

const toReport = ({ findings, judged, without }: Checked) => ({
  name: 'verify',
  findings,
  rows: judged && countsOf(judged),
  without_evidence: without,
  wrong: (judged ?? [])
    .filter(({ verdict }) => verdict !== 'verified')
    .map(({ row, verdict }) => ({ verdict, ...row })),
});

const draw = ({ findings, judged, rows, without }: Checked): string => {
  const lines = findings.map(
    ({ check, problem }) =>
      `${problem === null ? 'ok   ' : 'WRONG'} ${check}${problem ? `: ${problem}` : ''}`,
  );
  if (without.length > 0) lines.push(`?     ${without.length} transactions of the answer have no evidence`);
  if (judged === null)
    return [...lines, `${rows} movements were not looked at: give --blocks or --rpc`]
      .map(showableLine)
      .join('\n');
  const counts = Object.entries(countsOf(judged)).map(
    ([verdict, count]) => `${count} ${verdict.replace('_', ' ')}`,
  );
  const wrong = judged
    .filter(({ verdict }) => verdict !== 'verified')
    .map(
      ({ row, verdict }) =>
        `${verdict === 'mismatch' ? 'WRONG' : '?    '} ${row.chain} block ${row.block} ${row.transaction}: ${row.amount_raw} of ${row.asset} from ${row.from} to ${row.to}`,
    );
  return [...lines, ...wrong, `movements: ${counts.join(', ')}`].map(showableLine).join('\n');
};
