import { expect, test } from 'vitest';
import type { AssertedLabel } from '../../investigate/model/label.ts';
import { buildLabel } from '../../testing/build-label.ts';
import { chooseLabel, describeLabels, endLifted } from './choose-label.ts';
import { chooseService } from './choose-service.ts';

const NOW = 1_763_000_000;
const DAY = 86_400;
const label = (kind: AssertedLabel['kind'], more: Partial<AssertedLabel> = {}): AssertedLabel =>
  buildLabel({ address: 'wallet', kind, name: kind, ...more });
const shown = (labels: readonly AssertedLabel[], at = NOW): string | null =>
  chooseLabel(labels, at)?.name ?? null;

test('sanctions outrank a hack, a hack outranks every other kind, whatever the confidence', () => {
  const exchange = label('exchange', { confidence: 1 });
  const hack = label('hack', { confidence: 0.1 });
  const sanctioned = label('sanctioned', { confidence: 0.1 });
  expect(shown([exchange, hack, sanctioned])).toBe('sanctioned');
  expect(shown([exchange, hack])).toBe('hack');
  expect(shown([exchange])).toBe('exchange');
  expect(shown([])).toBeNull();
});

test('a sanction does not hide that the address is an exchange, and an exchange is nothing else besides', () => {
  const exchange = label('exchange', { confidence: 0.5 });
  const mixer = label('mixer', { confidence: 0.4 });
  const lapsed = label('bridge', { confidence: 1, validTo: NOW - DAY });
  const said = [mixer, exchange, lapsed, label('sanctioned')];
  expect(describeLabels(said, NOW)).toEqual({ name: 'sanctioned', kind: 'sanctioned', passing: 'exchange' });
  expect(describeLabels([label('hack')], NOW)).toEqual({ name: 'hack', kind: 'hack' });
  expect(describeLabels([exchange, mixer], NOW)).toEqual({ name: 'exchange', kind: 'exchange' });
});

test('between kinds of one rank the surer label is shown, between equally sure ones the later', () => {
  const sure = label('bridge', { confidence: 0.9, assertedAt: NOW - 9 * DAY });
  const late = label('dex', { confidence: 0.8, assertedAt: NOW });
  expect(shown([sure, late])).toBe('bridge');
  expect(shown([{ ...sure, confidence: 0.8 }, late])).toBe('dex');
});

test('the order in which labels came decides nothing', () => {
  const labels = [label('bridge'), label('dex'), label('other'), label('exchange', { source: 'b' })];
  const first = shown(labels);
  for (let turn = 1; turn < labels.length; turn += 1)
    expect(shown([...labels.slice(turn), ...labels.slice(0, turn)])).toBe(first);
});

test('a label is shown from its first second on and no more from its last', () => {
  const labels = [label('hack', { validFrom: NOW, validTo: NOW + DAY })];
  expect(shown(labels, NOW - 1)).toBeNull();
  expect(shown(labels, NOW)).toBe('hack');
  expect(shown(labels, NOW + DAY - 1)).toBe('hack');
  expect(shown(labels, NOW + DAY)).toBeNull();
});

test('a sanction that was lifted is history, also where an old list without dates still names it', () => {
  const designation = label('sanctioned', {
    validFrom: NOW - 9 * DAY,
    validTo: NOW - DAY,
    name: 'designated',
    creator: 'OFAC',
  });
  const oldList = label('sanctioned', { confidence: 1, name: 'old list' });
  const mixer = label('mixer');
  expect(shown([designation, oldList, mixer], NOW - 2 * DAY)).toBe('old list');
  expect(shown([designation, oldList, mixer])).toBe('mixer');
  expect(shown([designation, { ...oldList, creator: 'OFAC' }, mixer])).toBe('mixer');
});

test('a list that is no authority lifts nothing when it names an address no more, be it by the name of an authority', () => {
  const standing = label('sanctioned', { source: 'tags', name: 'Lazarus Group' });
  const dropped = label('sanctioned', { source: 'mine', validTo: NOW - DAY });
  expect(shown([standing, { ...dropped, name: 'watched' }])).toBe('Lazarus Group');
  expect(shown([standing, { ...dropped, name: 'OFAC: Lazarus', creator: 'ofac watchers' }])).toBe(
    'Lazarus Group',
  );
  expect(shown([standing, { ...dropped, source: 'ofac' }])).toBeNull();
});

test('an authority is known by every name that lists give it', () => {
  const lifting = label('sanctioned', { creator: 'OFAC', validTo: NOW - DAY });
  for (const name of ['European Union: X', 'HM Treasury: X', 'United Nations Security Council: X'])
    expect(shown([label('sanctioned', { name }), lifting])).toBe(name);
  for (const name of ['U.S. Treasury: X', 'Office of Foreign Assets Control: X', 'SDN list'])
    expect(shown([label('sanctioned', { name }), lifting])).toBeNull();
});

test('what two authorities decided stands until both have lifted it', () => {
  const both = label('sanctioned', { name: 'OFAC, EU: X' });
  const lifting = label('sanctioned', { creator: 'OFAC', validTo: NOW - DAY });
  expect(shown([both, lifting])).toBe('OFAC, EU: X');
  expect(shown([both, lifting, { ...lifting, creator: 'EU' }])).toBeNull();
});

test('an authority lifts its own designation whatever the name of whom it designated says', () => {
  const designation = label('sanctioned', { creator: 'OFAC', name: 'OFAC: UK Trading' });
  expect(shown([designation, { ...designation, source: 'ofac', validTo: NOW - DAY }])).toBeNull();
});

test('an authority lifts what it designated itself, and not what another one did', () => {
  const ofac = label('sanctioned', { creator: 'OFAC', name: 'OFAC: somebody' });
  const lifted = { validFrom: NOW - 9 * DAY, validTo: NOW - DAY };
  const elsewhere = label('sanctioned', { ...lifted, source: 'eu', name: 'EU: somebody' });
  expect(shown([ofac, elsewhere])).toBe('OFAC: somebody');
  expect(shown([ofac, { ...elsewhere, name: 'OFAC: was it', source: 'curated' }])).toBeNull();
});

test('who is designated again after a lifting is sanctioned again', () => {
  const lifted = label('sanctioned', { validFrom: NOW - 9 * DAY, validTo: NOW - 5 * DAY, name: 'first' });
  const again = label('sanctioned', { validFrom: NOW - DAY, name: 'again' });
  expect(shown([lifted, again], NOW - 2 * DAY)).toBeNull();
  expect(shown([lifted, again])).toBe('again');
});

test('what was lifted is told with the time of its lifting, and nothing else changes', () => {
  const repeated = label('sanctioned', { source: 'list', name: 'OFAC: X' });
  const hearsay = label('sanctioned', { source: 'list', name: 'X' });
  const other = label('sanctioned', { creator: 'EU', name: 'EU: X' });
  const lifting = label('sanctioned', { creator: 'OFAC', validTo: NOW - DAY });
  const ends = endLifted([repeated, hearsay, other, label('mixer', {}), lifting]).map(
    ({ validTo }) => validTo,
  );
  expect(ends).toEqual([NOW - DAY, NOW - DAY, null, null, NOW - DAY]);
  expect(endLifted([repeated, other])).toEqual([repeated, other]);
});

test('the service behind an address is the one its surest label of a service names, whatever else is shown', () => {
  const labels = [
    label('sanctioned', { entity: 'somebody', confidence: 1 }),
    label('mixer', { entity: 'alder', confidence: 0.7 }),
    label('exchange', { entity: 'birch', confidence: 0.6 }),
    label('bridge', { entity: 'cedar', confidence: 1 }),
  ];
  expect(chooseService(labels)).toEqual({ entity: 'alder', kind: 'mixer' });
  expect(chooseService([label('mixer', { entity: '' })])).toBeNull();
});
