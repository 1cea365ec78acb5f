import type { Command } from 'commander';
import { beforeAll, expect, test } from 'vitest';
import { CHAINS } from '../investigate/model/chain.ts';
import { COMMANDS } from './commands.ts';

type Named = { readonly name: string; readonly command: Command };

/** A command and those inside it, by the words that call them. */
const allOf = (command: Command, before = 'spoor'): Named[] => {
  const name = `${before} ${command.name()}`;
  return [{ name, command }, ...command.commands.flatMap((inner) => allOf(inner, name))];
};

const all: Named[] = [];
beforeAll(async () => {
  for (const load of Object.values(COMMANDS)) all.push(...allOf(await load()));
  // All of the program is loaded here.
}, 60_000);

const helpOf = (command: Command): string => {
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text) });
  command.outputHelp();
  return help;
};

/** The command lines under "Example:", without what the shell does with them. */
const examplesOf = (help: string): string[] => {
  const [, block = ''] = /^Examples?:\n((?: {2}.+(?:\n|$))+)/m.exec(help) ?? [];
  return block.split('\n').flatMap((line) => line.trim().split(' > ')[0] || []);
};

/** Runs a command line up to the point where the command would do its work. Throws what commander throws. */
const parse = async (line: string): Promise<string> => {
  const [, first = '', ...rest] = line.split(' ');
  const load = COMMANDS[first];
  if (!load) throw new Error(`no command ${first}`);
  const top = await load();
  const reached: string[] = [];
  for (const { name, command } of allOf(top)) {
    command.exitOverride().configureOutput({ writeErr: () => {} });
    if (command.commands.length === 0)
      command.action(() => {
        reached.push(name);
      });
  }
  await top.parseAsync(rest, { from: 'user' });
  return reached.join();
};

test('every command shows examples that it takes itself', async () => {
  expect(all.length).toBeGreaterThan(25);
  for (const { name, command } of all) {
    const examples = examplesOf(helpOf(command));
    expect(examples, name).not.toEqual([]);
    for (const line of examples) expect(`${await parse(line)} `, line).toContain(`${name} `);
  }
});

test('every command, argument and option says what it is', () => {
  for (const { name, command } of all) {
    expect(command.description(), name).toMatch(/^[A-Z].{10,}\.$/);
    for (const argument of command.registeredArguments)
      expect(argument.description, `${name} <${argument.name()}>`).toMatch(/.{4,}/);
    for (const option of command.options)
      expect(option.description, `${name} ${option.long}`).toMatch(/.{4,}/);
  }
});

/** What prints lines for programs anyway, and what runs until it is stopped. */
const WITHOUT_JSON = ['spoor decode', 'spoor mcp', 'spoor start'];
/** Theirs are those of SPOOR_CHAINS, and of any folder. */
const OTHER_CHAINS = ['spoor ingest', 'spoor decode'];

test('options of one name mean the same everywhere', () => {
  const leaves = all.filter(({ command }) => command.commands.length === 0);
  const without = leaves.filter(({ command }) => !command.options.some(({ long }) => long === '--json'));
  expect(without.map(({ name }) => name).sort()).toEqual(WITHOUT_JSON);
  for (const { name, command } of leaves) {
    const chain = command.options.find(({ long }) => long === '--chain');
    if (chain && !OTHER_CHAINS.includes(name))
      expect(chain.argChoices, name).toEqual(CHAINS.map((each) => each.name));
  }
});
