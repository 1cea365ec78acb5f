import { expect, test } from 'vitest';
import { priceAt, type Quote } from './price-at.ts';

const HOUR = 3_600;
const START = 1_700_000_000 - (1_700_000_000 % HOUR);

const hour = (number: number, usd: number | null, minutes = 30): Quote => ({
  source: 'market',
  span: 'hour',
  beginUnixSeconds: START + number * HOUR,
  atUnixSeconds: START + number * HOUR + minutes * 60,
  usd,
});
const imported = (name: string, seconds: number, usd: number): Quote => ({
  source: `import:${name}`,
  span: 'time',
  beginUnixSeconds: START + seconds,
  atUnixSeconds: START + seconds,
  usd,
});
const coin = (seconds: number, quotes: readonly Quote[]) =>
  priceAt(START + seconds, { pegged: false, quotes });
const stable = (seconds: number, quotes: readonly Quote[]) =>
  priceAt(START + seconds, { pegged: true, quotes });

test('between two hours the price runs straight from the middle of the one to the middle of the other', () => {
  expect(coin(HOUR, [hour(0, 100), hour(1, 200), hour(3, 900)])).toEqual({ usd: 150, source: 'market' });
});

test('a minute with a market of its own has its own price', () => {
  const minute: Quote = { ...hour(1, 120), span: 'minute', beginUnixSeconds: START + HOUR };
  expect(coin(HOUR + 59, [hour(0, 100), hour(1, 200), minute])?.usd).toBe(120);
  expect(coin(HOUR + 60, [hour(0, 100), hour(1, 200), minute])?.usd).not.toBe(120);
});

test('the last price is carried for six hours and not a second longer', () => {
  const quotes = [hour(0, 100, 0)];
  expect(coin(6 * HOUR, quotes)?.usd).toBe(100);
  expect(coin(6 * HOUR + 1, quotes)).toBeNull();
});

test('who asks for a farther price gets the nearest within that', () => {
  const far = { pegged: false, quotes: [hour(0, 100, 0), hour(90, 300, 0)], reachHours: 72 };
  expect(priceAt(START + 18 * HOUR, far)?.usd).toBeCloseTo(140, 0);
  expect(priceAt(START + 163 * HOUR, far)).toBeNull();
});

test('an hour that lost its price says nothing', () => {
  expect(coin(HOUR, [hour(0, null), hour(1, 200)])?.usd).toBe(200);
  expect(coin(HOUR, [hour(1, null)])).toBeNull();
});

test('what was imported counts where the market is silent, the nearest first, and names its list', () => {
  const quotes = [imported('daily', 0, 90), imported('daily', 20 * HOUR, 110)];
  expect(coin(9 * HOUR, quotes)).toEqual({ usd: 90, source: 'import:daily' });
  expect(coin(11 * HOUR, quotes)?.usd).toBe(110);
  expect(coin(45 * HOUR, quotes)).toBeNull();
  expect(coin(HOUR, [...quotes, hour(1, 200)])?.source).toBe('market');
});

test('a stablecoin is worth its peg, unless its own market said otherwise in that hour', () => {
  expect(stable(0, [])).toEqual({ usd: 1, source: 'peg' });
  expect(stable(0, [hour(0, 1)])).toEqual({ usd: 1, source: 'peg' });
  expect(stable(HOUR, [hour(1, 0.88)])).toEqual({ usd: 0.88, source: 'market' });
  expect(stable(2 * HOUR, [hour(1, 0.88)])).toEqual({ usd: 1, source: 'peg' });
  expect(stable(HOUR, [hour(1, null)])).toBeNull();
});
