import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { API_DOCUMENT } from '../../api/contract/describe-api.ts';
import { markOrigin, SDK_TYPES } from '../../api/contract/mark-origin.ts';
import { listOperations } from '../../api/contract/operations.ts';
import { isPaidPath } from '../../api/paid/resources.ts';
import { TOOLS } from '../../mcp/tools.ts';
import { createSpoor } from '../../sdk/create-spoor.ts';
import { COMMANDS } from '../commands.ts';

const operations = listOperations(
  { chains: ['solana'], clock: { nowUnixMs: () => 0 } },
  { hasAccounts: true },
);
const questions = operations.filter(({ tag }) => tag === 'questions');

test('every question has a price, a tool, a method of the SDK and a command', () => {
  const ids = questions.map(({ id }) => id);
  expect(ids.length).toBeGreaterThanOrEqual(5);
  expect(TOOLS.map(({ operation }) => operation).sort()).toEqual(ids.toSorted());
  expect(Object.keys(createSpoor({ url: 'http://127.0.0.1:1' }))).toEqual(expect.arrayContaining(ids));
  expect(Object.keys(COMMANDS)).toEqual(expect.arrayContaining(ids));
  const paid = operations.filter(({ tariffs }) => tariffs !== undefined);
  expect(paid.map(({ id }) => id)).toEqual(ids);
  expect(paid.filter(({ path }) => !isPaidPath(path))).toEqual([]);
});

/** What says whom to ask and how to print. */
const NO_FIELDS = ['url', 'key', 'local', 'json', 'csv', 'save'];
test.each(questions)(
  'the command $id takes every field of the request, and nothing else',
  async ({ id, body }) => {
    const command = await COMMANDS[id]?.();
    if (!command || !body) throw new Error(`no command ${id}`);
    const { properties = {} } = z.toJSONSchema(body, { io: 'input' });
    const options = command.options
      .map((option) => option.attributeName())
      .filter((name) => !NO_FIELDS.includes(name));
    const taken = [...command.registeredArguments.map((argument) => argument.name()), ...options];
    expect(
      taken.map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)).sort(),
    ).toEqual(Object.keys(properties).sort());
  },
);

test('the types of the SDK were made from the API document as it is; `npm run generate` makes them', () => {
  const types = readFileSync(SDK_TYPES, 'utf8');
  expect(markOrigin(types, readFileSync(API_DOCUMENT, 'utf8'))).toBe(types);
});
