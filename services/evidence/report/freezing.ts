import { code, type Html, html, table } from './html.ts';
import type { Place, Step, Story } from './story.ts';
import { amountOf, shareOf, utcOf, wordsOfOutcome } from './words.ts';

const SERVICES = ['exchange', 'bridge', 'mixer', 'dex', 'sanctioned'];

/** A page for each who can act: what he is asked for. */
export const freezing = (story: Story): readonly Html[] => {
  const held = story.places.filter(({ raw }) => raw > 0n);
  const services = Map.groupBy(
    held.filter(({ label }) => label !== null && SERVICES.includes(label.kind)),
    ({ label }) => `${label?.name} (${label?.kind})`,
  );
  const issuable = held.filter(({ canFreeze, outcome }) => canFreeze && outcome === 'at_rest');
  const frozen = held.filter((place) => place.frozen !== null);
  const positions = Map.groupBy(
    held.filter(({ outcome }) => outcome === 'position'),
    ({ issuer }) => issuer ?? 'The issuer of the receipt',
  );
  const symbol = story.asset.symbol ?? 'the token';
  return [
    ...[...services].map(([name, of]) => page(story, name, 'Hold what these payments brought:', of)),
    ...[...positions].map(([name, of]) => page(story, name, 'Pay nothing back for these receipts:', of)),
    ...(issuable.length === 0
      ? []
      : [page(story, `The issuer of ${symbol}`, 'It can freeze these balances, and has not:', issuable)]),
    ...(frozen.length === 0 ? [] : [alreadyFrozen(story, frozen)]),
  ];
};

const page = (story: Story, name: string, ask: string, places: readonly Place[]): Html => {
  const rows = places.map(({ address, outcome, raw, probability }) => [
    ...[code(address), wordsOfOutcome(outcome), amountOf(story, raw), shareOf(probability)],
  ]);
  const into = stepsInto(story, places);
  return html`<section><h2>For ${name}</h2>
<p>${ask} ${amountOf(
    story,
    places.reduce((sum, { raw }) => sum + raw, 0n),
  )} on ${story.chain}.</p>
${table(['Address', 'What it is', 'Amount', 'Probability'], rows)}
<h3>How it came there</h3>
${table(
  ['Step', 'Time', 'Transaction', 'To', 'Carried'],
  into.map(({ number, step }) => [
    ...[number, utcOf(step.time), code(step.signature), code(step.to), amountOf(story, step.raw)],
  ]),
)}
</section>
`;
};

const alreadyFrozen = (story: Story, places: readonly Place[]): Html => html`<section><h2>Frozen already</h2>
${table(
  ['Address', 'Amount', 'Since', 'Block', 'Transaction'],
  places.map(({ address, raw, frozen }) => [
    ...[code(address), amountOf(story, raw), frozen ? utcOf(frozen.time) : '', frozen?.block ?? ''],
    code(frozen?.signature ?? ''),
  ]),
)}
</section>
`;

const stepsInto = ({ steps }: Story, places: readonly Place[]): { number: number; step: Step }[] => {
  const addresses = new Set(places.map(({ address }) => address));
  return steps.flatMap((step, at) => (addresses.has(step.to) ? [{ number: at + 1, step }] : []));
};
