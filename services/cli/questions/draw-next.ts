import { showable } from '../../platform/showable.ts';

export type NextCall = {
  readonly path: '/follow' | '/trace';
  readonly body: Readonly<Record<string, unknown>>;
};

const ARGUMENTS: Readonly<Record<NextCall['path'], readonly string[]>> = {
  '/follow': ['address'],
  '/trace': ['wallet', 'counterparty', 'signature'],
};

/** A call that an answer names as a command line; `server` has the options that name the server asked. */
export const drawNext = ({ path, body }: NextCall, server: string): string => {
  const places = ARGUMENTS[path];
  const options = Object.entries(body).flatMap(([name, value]) =>
    places.includes(name) ? [] : toOption(name, value),
  );
  return drawCommand([path.slice(1), ...places.map((name) => String(body[name] ?? '')), ...options], server);
};

/** Who is this? */
export const drawAnalyze = (address: string, chain: string, server: string): string =>
  drawCommand(['analyze', address, '--chain', chain], server);

export const drawCommand = (words: readonly string[], server: string): string =>
  `npx spoor ${words.map(quote).join(' ')}${server === '' ? '' : ` ${server}`}`;

const toOption = (name: string, value: unknown): readonly string[] => {
  const option = `--${name.replaceAll('_', '-')}`;
  return value === true ? [option] : [option, plain(value)];
};

/** Without an exponent, which an option need not take. */
const plain = (value: unknown): string =>
  typeof value === 'number' && !Number.isInteger(value)
    ? value.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 20 })
    : String(value);

/** A shell reads anything else as more than a word. */
const quote = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${showable(word).replaceAll("'", '')}'`;
