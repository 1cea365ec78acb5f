import type { RunningWorld } from './start-world.ts';

const curl = (url: string, body: object, needsKey: boolean): string =>
  `  curl -s ${url}/follow ${needsKey ? "-H 'authorization: Bearer <key>' " : ''}-H 'content-type: application/json' -d '${JSON.stringify(body)}'`;

const OPEN =
  'No account is open, so calls need no key and cost nothing. "npx spoor accounts open NAME" begins to ask for keys.';
/** Open access by mistake must be visible. */
const OPEN_TO_ALL =
  'WARNING: other machines can reach this address, and calls need no key: anybody may use it, a few calls a minute each. ' +
  '"npx spoor accounts open NAME" begins to ask for keys; SPOOR_HOST=127.0.0.1 keeps it to this machine.';
const KEYS = 'Calls need a key: "npx spoor keys issue ACCOUNT". Accounts: "npx spoor accounts list".';
const PAYMENTS =
  'Calls are paid for one by one with x402: sent without a payment they are answered with the price. ' +
  '"npx spoor accounts open NAME" begins to take keys, too.';
const EITHER =
  'Calls need a key or a payment by x402: "npx spoor keys issue ACCOUNT". Accounts: "npx spoor accounts list".';

type Access = {
  readonly hasAccounts: boolean;
  readonly takesPayments: boolean;
  /** Whether only programs of this machine reach it. */
  readonly isLocal: boolean;
};

const describeAccess = ({ hasAccounts, takesPayments, isLocal }: Access): string => {
  if (takesPayments) return hasAccounts ? EITHER : PAYMENTS;
  if (hasAccounts) return KEYS;
  return isLocal ? OPEN : `${OPEN}\n${OPEN_TO_ALL}`;
};

/** A newcomer's first lines: address, example questions, data folder. The last line is for programs. */
export const welcome = (
  service: Access & {
    url: string;
    folder: string;
    /** Whether the tables are embedded here, not on another server. */
    hasSql: boolean;
    /** null if block files or live chains are served. */
    world: Pick<RunningWorld, 'examples'> | null;
  },
): string => {
  const { url, folder, world, hasAccounts } = service;
  const lines = ['', `Look at money: ${url}/`, `Spoor answers at ${url}`, `Data: ${folder}`, ''];
  if (world) {
    lines.push(
      'This is a generated world: no chain is configured, or SPOOR_DEMO is set. Follow some of its money:',
    );
    for (const { chain, start, since } of world.examples)
      lines.push(curl(url, { address: start, chain, since }, hasAccounts));
  } else {
    lines.push(
      'Follow the money of an address:',
      curl(url, { address: '<address>', chain: '<chain>' }, hasAccounts),
    );
  }
  lines.push('', describeAccess(service));
  if (service.hasSql)
    lines.push(
      '',
      'Ask the tables in SQL (address, user, password, lines for tools):',
      '  npx spoor sql-login',
    );
  lines.push('', 'Status:', `  curl -s ${url}/status`, '', `ready ${url}`, '');
  return lines.join('\n');
};
