import { code, type Html, html, table } from './html.ts';
import type { Place, Story } from './story.ts';
import { shareOf, wordsOfOutcome } from './words.ts';

const PAYMENT_RULE = 'Receipts and payments of the payer are matched by amount and time';
/** No rule has an error rate yet that an evaluation of the project prints for its claim, with its number of cases. */
const NOT_MEASURED = 'not measured';

/** What the answer concludes from the facts, with its rule. */
export const inferences = (story: Story): Html => html`<section><h2>Inferences on ${story.chain}</h2>
<p>Movements are facts. Whose money they carried, and who stands behind an address, are conclusions.</p>
${table(
  ['Claim', 'Rule', 'Confidence', 'Error rate of the rule'],
  [...paymentClaims(story), ...story.places.flatMap((place) => placeClaims(place))],
)}
<h3>What would change them</h3>
<p>Another receipt of the same amount at a payer that is not indexed; a label that is withdrawn; blocks that are missing here; a service
that says whose account it is.</p>
</section>
`;

const paymentClaims = ({ steps }: Story): readonly (readonly (string | Html)[])[] =>
  [...Map.groupBy(steps.entries(), ([, { from, to }]) => `${from} ${to}`).values()].flatMap((of) => {
    const [first] = of;
    if (first === undefined) return [];
    const { from, to, probability } = first[1];
    const numbers = of.map(([at]) => at + 1);
    const shown = numbers.length > 6 ? `${numbers.slice(0, 6).join(', ')} …` : numbers.join(', ');
    return [
      [
        html`Steps ${shown}: the payment of ${code(from)} to ${code(to)} carried the money`,
        ...[PAYMENT_RULE, shareOf(probability) || 'the main stream', NOT_MEASURED],
      ],
    ];
  });

const placeClaims = ({ address, label, outcome, issuer, crossings }: Place): (string | Html)[][] => [
  ...(label === null
    ? []
    : [
        [
          html`${code(address)} belongs to ${label.name}, ${label.kind}`,
          ...['A source says so: see Labels', '', NOT_MEASURED],
        ],
      ]),
  ...(outcome === 'position'
    ? [
        [
          html`${code(address)}: ${wordsOfOutcome(outcome)}${issuer === null ? '' : `, by ${issuer}`}`,
          ...['The contract of what was got took what was given, or the receipt is listed', '', NOT_MEASURED],
        ],
      ]
    : []),
  ...crossings.map((side) => [
    html`It came out on ${side.chain} at ${code(side.address)}, in ${code(side.signature)}`,
    side.by === 'id' ? 'The bridge’s number of the message' : 'Recipient, amount and time',
    shareOf(side.confidence),
    NOT_MEASURED,
  ]),
];
