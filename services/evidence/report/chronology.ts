import type { EvidenceRow } from '../evidence-row.ts';
import { code, type Html, html, table } from './html.ts';
import type { Step, Story } from './story.ts';
import { amountOf, shareOf, utcOf } from './words.ts';

type Rows = ReadonlyMap<string, readonly EvidenceRow[]>;

/** Movements by chain and transaction. */
export const byTransaction = (rows: readonly EvidenceRow[]): Rows =>
  Map.groupBy(rows, ({ chain, transaction }) => `${chain}:${transaction}`);

const rowsOf = (rows: Rows, { chain }: Story, { signature }: Step): readonly EvidenceRow[] =>
  rows.get(`${chain}:${signature}`) ?? [];

/** What happened, in order of time. */
export const chronology = (
  story: Story,
  rows: Rows,
): Html => html`<section><h2>Chronology on ${story.chain}</h2>
${table(
  ['Step', 'Time', 'Block', 'Transaction', 'From', 'To', 'Carried', 'Probability'],
  story.steps.map((step, at) => [
    ...[at + 1, utcOf(step.time), rowsOf(rows, story, step)[0]?.block ?? 'no evidence', code(step.signature)],
    ...[code(step.from), code(step.to), amountOf(story, step.raw), shareOf(step.probability)],
  ]),
)}
</section>
`;

/** Of one step: a transaction may hold thousands. */
const ROWS_SHOWN = 20;

/** The movements of each step, as the chain recorded them: anybody finds the same. */
export const facts = (story: Story, rows: Rows): Html => {
  const shown = story.steps.flatMap((step, at) => {
    const parties = new Set([step.from, step.to, ...step.through].map(keyOf));
    const own = rowsOf(rows, story, step).filter(
      ({ from, to, kind }) =>
        kind !== 'fee' && [from, to].some((party) => party && parties.has(keyOf(party))),
    );
    return own
      .slice(0, ROWS_SHOWN)
      .map((row) => [
        ...[at + 1, row.block, row.index, row.kind, code(row.from ?? 'issued'), code(row.to ?? 'destroyed')],
        ...[code(row.asset), row.amount_raw],
      ]);
  });
  return html`<section><h2>Facts on ${story.chain}</h2>
<p>These movements stand in evidence.ndjson, at most ${ROWS_SHOWN} of a step. Amounts are in the smallest unit.</p>
${table(['Step', 'Block', 'Number', 'Kind', 'From', 'To', 'Asset', 'Amount'], shown)}
</section>
`;
};

/** Answers write EVM addresses with a checksum, tables in lower case. */
const keyOf = (address: string): string => (address.startsWith('0x') ? address.toLowerCase() : address);
