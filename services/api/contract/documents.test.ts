import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { FollowBody } from '../../sdk/create-spoor.ts';
import { API_DOCUMENT, API_GUIDE, describeApi, readExamples } from './describe-api.ts';
import { fillGuide } from './fill-guide.ts';

test('the guide for callers is what these examples and the definitions of all fields make of it', () => {
  const guide = readFileSync(API_GUIDE, 'utf8');
  expect(fillGuide(guide, describeApi(readExamples()) as never, readExamples())).toBe(guide);
});

test('README shows what the command prints of the first of these examples, whole', () => {
  const readme = readFileSync(new URL('../README.md', API_GUIDE), 'utf8');
  const { request, drawn } = readExamples().follow ?? {};
  const { address, chain, since } = request as FollowBody;
  expect(drawn).toContain(address);
  expect(readme).toContain(
    `\n$ npx spoor follow ${address} --chain ${chain} --since ${since}\n${drawn}\n\`\`\`\n`,
  );
});

test('schemas/openapi.json is the document of every route; `npm run generate` writes it', () => {
  const written = JSON.parse(readFileSync(API_DOCUMENT, 'utf8')) as unknown;
  expect(JSON.parse(JSON.stringify(describeApi(readExamples())))).toEqual(written);
});
