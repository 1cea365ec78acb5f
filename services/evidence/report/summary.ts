import type { ReportContent } from './content.ts';
import { code, type Html, html, prose, table } from './html.ts';
import type { Story } from './story.ts';
import { amountOf, shareOf, utcOf, wordsOfOutcome } from './words.ts';

/** The question, what was signed, and where the money is: one page. */
export const summary = (content: ReportContent, stories: readonly Story[]): Html => html`<section>
<h1>Where the money went</h1>
<p>Made ${utcOf(content.madeAtUnixSeconds)} by Spoor ${content.version}.</p>
<h2>What was asked</h2>
${askedOf(content)}
<h2>What was signed</h2>
<dl>
<dt>SHA-256 of the answer</dt><dd>${code(content.digests.answer)}</dd>
<dt>Merkle root over ${content.rows.length} movements</dt><dd>${code(content.digests.merkleRoot)}</dd>
${content.keyids.map((keyid) => html`<dt>Key that signs</dt><dd>${code(keyid)}</dd>`)}
</dl>
${stories.map(outcomesOf)}
</section>
`;

const askedOf = ({ question }: ReportContent): Html =>
  question === null
    ? html`<p>The question is not recorded in this case. Its answer names the wallets that it starts from.</p>`
    : html`<p>${code(question.path)}</p><pre>${prose(JSON.stringify(question.body, null, 1))}</pre>`;

const outcomesOf = (story: Story): Html => {
  const { outcomes, taken, starts, chain } = story;
  const total = outcomes.reduce((sum, { raw }) => sum + raw, 0n);
  const rows = outcomes.map(({ outcome, raw, usd }) => [
    ...[wordsOfOutcome(outcome), amountOf(story, raw), usd === null ? '' : `$${usd.toFixed(2)}`],
    total === 0n ? '' : shareOf(Number((raw * 1_000_000n) / total) / 1_000_000),
  ]);
  return html`<h2>Where the money of ${starts.length === 1 ? (starts[0] ?? '') : `${starts.length} wallets`} on ${chain} is</h2>
${
  outcomes.length === 0
    ? html`<p>The answer does not say how much there was.</p>`
    : table(['Where', 'Amount', 'Dollars', 'Part'], [...rows, ['Sum', amountOf(story, total), '', '100 %']])
}
${taken === null || taken === total ? html`` : html`<p>Of ${amountOf(story, taken)} that were taken the answer explains this much.</p>`}
`;
};
