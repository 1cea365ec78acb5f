import { readFileSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { Command } from 'commander';
import { rotateSigningKeys } from '../../evidence/signing-keys.ts';
import { loadConfig } from '../../platform/config/config.ts';
import type { MadeCase } from '../evidence/make-case.ts';
import { saveCase } from '../evidence/save-case.ts';
import { example } from '../example.ts';
import { interruptSignal } from '../interrupt.ts';

type Options = {
  readonly out: string;
  readonly publicKey?: string;
  readonly newKey?: true;
  readonly json?: true;
};

/** `spoor case ANSWER`: a signed file with an answer and every movement that it rests on. */
export const caseCommand = (): Command =>
  new Command('case')
    .description(
      'Write an answer and every movement that it rests on into a signed file that anybody can check.',
    )
    .argument('<answer>', 'the answer as --json prints it, or - for standard input')
    .option('--out <file>', 'where the case is written', 'case.zip')
    .option('--public-key <file>', 'also write the public key there, to hand out apart from the case')
    .option('--new-key', 'sign with a new key from now on; earlier ones stay published')
    .option('--json', 'one JSON line on stdout')
    .addHelpText(
      'after',
      '\nIt is signed with the key of the service in SPOOR_DATA (default ./data), whose tables hold the movements.',
    )
    .addHelpText('after', example('spoor case answer.json --out case.zip'))
    .action(async (file: string, { out, publicKey, newKey, json }: Options) => {
      const answer = file === '-' ? await text(process.stdin) : readFileSync(file, 'utf8');
      if (newKey) await rotateSigningKeys(loadConfig(process.env).dataFolder, Math.floor(Date.now() / 1_000));
      const made = await saveCase({ question: null, answer: answer.trimEnd() }, out, interruptSignal());
      if (publicKey !== undefined) writeFileSync(publicKey, made.publicKey);
      if (json) process.stdout.write(`${JSON.stringify(toReport(made))}\n`);
    });

const toReport = ({ path, rows, keyid, withoutEvidence }: MadeCase) => ({
  ...{ name: 'case', file: path, rows, keyid, without_evidence: withoutEvidence },
});
