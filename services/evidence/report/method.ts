import type { ReportContent } from './content.ts';
import { code, type Html, html, prose, table } from './html.ts';
import type { Story } from './story.ts';
import { utcOf } from './words.ts';

export const labels = ({ labels: all }: ReportContent): Html => html`<section><h2>Labels</h2>
${table(
  ['Address', 'Name', 'Kind', 'Source', 'Confidence', 'Recorded'],
  all.map(({ address, name, kind, source, confidence, asserted_at }) => [
    ...[code(address), name, kind, source, String(confidence), utcOf(asserted_at)],
  ]),
)}
</section>
`;

/** How it was found, what bounds it, and how to check it. */
export const method = (
  { withoutEvidence, version }: ReportContent,
  stories: readonly Story[],
): Html => html`<section>
<h2>Method</h2>
<p>From each wallet that the money reached, every payment after it is read. Receipts and payments are matched by amount and time, and each
payment gets the probability that it carried the money. The amounts are then divided in order of time, so that nothing is counted twice. The
money is not followed behind services, whose payments are their customers’. The program is open: Spoor ${version}.</p>
<h2>Limits, and what was not read</h2>
<ul>
${stories.map(
  ({ chain, scope, limits, indexHead }) =>
    html`<li>${chain}: ${scope}${indexHead === null ? '' : `, up to block ${indexHead}`}. ${prose(limits ?? 'Nothing that was needed is missing.')}</li>`,
)}
<li>${withoutEvidence.length} transactions of the answer have no movement in the evidence.</li>
</ul>
${
  withoutEvidence.length === 0
    ? html``
    : table(
        ['Chain', 'Transaction'],
        withoutEvidence.map(({ chain, transaction }) => [chain, code(transaction)]),
      )
}
<h2>How to verify</h2>
<ol>
<li>Get the operator’s public key from the operator, not from whoever handed you this: a PEM file, or /.well-known/spoor-keys.json of
his service.</li>
<li>${code('spoor verify case.zip --key spoor.pub')} checks the signature, the digests and the Merkle root.</li>
<li>${code('spoor verify case.zip --key spoor.pub --rpc URL')} decodes every movement again from a node of your own choice.</li>
<li>VERIFY.md has the lines for openssl.</li>
</ol>
</section>
`;
