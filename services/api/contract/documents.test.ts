import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { FollowBody, Trail } from '../../sdk/create-spoor.ts';
import { API_DOCUMENT, API_GUIDE, describeApi, readExamples } from './describe-api.ts';
import { fillGuide } from './fill-guide.ts';

test('the guide for callers is what these examples and the definitions of all fields make of it', () => {
  const guide = readFileSync(API_GUIDE, 'utf8');
  expect(fillGuide(guide, describeApi(readExamples()) as never, readExamples())).toBe(guide);
});

test('the trail in README is the one of these examples', () => {
  const readme = readFileSync(new URL('../README.md', API_GUIDE), 'utf8');
  const { request, answer } = readExamples().follow as { request: FollowBody; answer: Trail };
  const { start, chain, hops, end } = answer;
  expect(readme).toContain(`npx spoor follow ${start} --chain ${chain} --since ${request.since}\n${start}\n`);
  for (const { to } of hops) expect(readme).toContain(`\n${to}`);
  expect(readme).toContain(`\n${end.reason}: ${end.detail}\n`);
});

test('schemas/openapi.json is the document of every route; `npm run generate` writes it', () => {
  const written = JSON.parse(readFileSync(API_DOCUMENT, 'utf8')) as unknown;
  expect(JSON.parse(JSON.stringify(describeApi(readExamples())))).toEqual(written);
});
