import type { RunningWorld } from './start-world.ts';

const curl = (url: string, body: object, isOpen: boolean): string =>
  `  curl -s ${url}/follow ${isOpen ? '' : "-H 'authorization: Bearer <key>' "}-H 'content-type: application/json' -d '${JSON.stringify(body)}'`;

const OPEN =
  'No account is open, so calls need no key and cost nothing. "npx spoor accounts open NAME" begins to ask for keys.';
const KEYS = 'Calls need a key: "npx spoor keys issue ACCOUNT". Accounts: "npx spoor accounts list".';

/** What a newcomer reads first: where it answers, what to ask, where the data lies. The last line is for programs. */
export const welcome = (service: {
  url: string;
  folder: string;
  /** Null where block files or live chains are served instead. */
  world: Pick<RunningWorld, 'examples'> | null;
  /** Whether calls without a key are let through. */
  isOpen: boolean;
}): string => {
  const { url, folder, world, isOpen } = service;
  const lines = ['', `Spoor answers at ${url}`, `Data: ${folder}`, ''];
  if (world) {
    lines.push('No chain is configured: this is a generated world. Follow some of its money:');
    for (const { chain, start, since } of world.examples)
      lines.push(curl(url, { address: start, chain, since }, isOpen));
  } else {
    lines.push(
      'Follow the money of an address:',
      curl(url, { address: '<address>', chain: '<chain>' }, isOpen),
    );
  }
  lines.push('', isOpen ? OPEN : KEYS);
  lines.push('', 'How it is:', `  curl -s ${url}/status`, '', `ready ${url}`, '');
  return lines.join('\n');
};
