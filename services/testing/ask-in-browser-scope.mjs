// Runs a module with what every browser has and nothing of Node; prints what its default export answers for the other arguments.
import { readFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createContext, SourceTextModule } from 'node:vm';

const [entry, ...given] = process.argv.slice(2);
const { getRandomValues } = crypto;
const context = createContext({
  ...{ fetch, Request, Response, Headers, FormData, URL, URLSearchParams, AbortController, AbortSignal },
  ...{
    setTimeout,
    clearTimeout,
    console,
    crypto: { getRandomValues: (array) => getRandomValues.call(crypto, array) },
  },
});
const known = new Map();

const read = async (path) =>
  new SourceTextModule(await readFile(path, 'utf8'), { context, identifier: path });
const load = (path) => {
  if (!known.has(path)) known.set(path, read(path));
  return known.get(path);
};
const resolve = (specifier, from) => {
  if (specifier.startsWith('node:')) throw new Error(`${from} imports ${specifier}, which no browser has`);
  if (specifier.startsWith('.')) return new URL(specifier, pathToFileURL(from)).pathname;
  return fileURLToPath(import.meta.resolve(specifier, pathToFileURL(from)));
};

const module = await load(entry);
await module.link((specifier, { identifier }) => load(resolve(specifier, identifier)));
await module.evaluate();
process.stdout.write(`${JSON.stringify(await module.namespace.default(...given))}\n`);
