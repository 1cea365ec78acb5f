import type { RunningWorld } from './roles/start-world.ts';

const curl = (url: string, body: object): string =>
  `  curl -s ${url}/follow -H 'content-type: application/json' -d '${JSON.stringify(body)}'`;

/** What a newcomer reads first: where it answers, what to ask, where the data lies. The last line is for programs. */
export const welcome = (service: {
  url: string;
  folder: string;
  /** Null where block files or live chains are served instead. */
  world: Pick<RunningWorld, 'examples'> | null;
}): string => {
  const { url, folder, world } = service;
  const lines = ['', `Spoor answers at ${url}`, `Data: ${folder}`, ''];
  if (world) {
    lines.push('No chain is configured: this is a generated world. Follow some of its money:');
    for (const { chain, start, since } of world.examples)
      lines.push(curl(url, { address: start, chain, since }));
  } else {
    lines.push('Follow the money of an address:', curl(url, { address: '<address>', chain: '<chain>' }));
  }
  lines.push('', 'How it is:', `  curl -s ${url}/status`, '', `ready ${url}`, '');
  return lines.join('\n');
};
