import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { FollowBody } from '../../sdk/create-spoor.ts';
import { API_DOCUMENT, API_GUIDE, describeApi, readExamples } from './describe-api.ts';
import { fillGuide } from './fill-guide.ts';

/** Lines of a laptop's window. */
const SCREEN_LINES = 36;

test('the guide for callers is what these examples and the definitions of all fields make of it', () => {
  const guide = readFileSync(API_GUIDE, 'utf8');
  expect(fillGuide(guide, describeApi(readExamples()) as never, readExamples())).toBe(guide);
});

/** Of a payment in many transactions the first two are shown, and how many more there are. */
const shorten = (drawn: string): string =>
  drawn.replace(
    /((?:^ {2}│ {2}\S+ \S+ UTC .*\n){2})((?:^ {2}│ {2}\S+ \S+ UTC .*\n)+)/gm,
    (_, first, more) => {
      const count = more.trimEnd().split('\n').length;
      return `${first}  │  … and ${count} more, each with its link\n`;
    },
  );

test('README shows what the command prints of the first of these examples, within a screen', () => {
  const readme = readFileSync(new URL('../README.md', API_GUIDE), 'utf8');
  const { request, drawn = '' } = readExamples().follow ?? {};
  const { address, chain, since } = request as FollowBody;
  expect(drawn).toContain(address);
  const shown = `\n$ npx spoor follow ${address} --chain ${chain} --since ${since}\n${shorten(drawn)}\n\`\`\`\n`;
  expect(readme).toContain(shown);
  const end = readme.indexOf(shown) + shown.length;
  expect(readme.slice(0, end).split('\n').length).toBeLessThanOrEqual(SCREEN_LINES);
});

test('schemas/openapi.json is the document of every route; `npm run generate` writes it', () => {
  const written = JSON.parse(readFileSync(API_DOCUMENT, 'utf8')) as unknown;
  expect(JSON.parse(JSON.stringify(describeApi(readExamples())))).toEqual(written);
});
