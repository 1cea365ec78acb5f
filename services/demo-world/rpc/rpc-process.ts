import { parseArgs } from 'node:util';
import { createWorld } from '../create-world.ts';
import { createKnownLabels } from '../known-labels.ts';
import { createTruthFile } from '../write-truth.ts';
import { serveWorld } from './serve-world.ts';

/**
 * The world's RPC as a process of its own. When it listens it prints `rpc http://127.0.0.1:PORT` and, for the process that
 * started it, a JSON line of where its blocks begin, where its public labels are and which trails to try. Ends on a signal, or with its parent.
 * Usage: node rpc-process.ts [--seed 1] [--people 300] [--days 14] [--port 0] [--truth FOLDER]
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    people: { type: 'string', default: '300' },
    days: { type: 'string', default: '14' },
    port: { type: 'string', default: '0' },
    truth: { type: 'string' },
  },
});
// Subscribed first and then checked once, so that a parent killed during generation does not leave this process
// behind.
const parentGone = new Promise<void>((resolve) => {
  process.once('disconnect', resolve);
  if (process.connected === false) resolve();
});
const truth = values.truth === undefined ? null : createTruthFile(values.truth);
const known = createKnownLabels();
const world = createWorld(
  { seed: Number(values.seed), people: Number(values.people), days: Number(values.days) },
  (line) => {
    known.note(line);
    truth?.write(line);
  },
);
const labels = values.truth === undefined ? null : known.write(values.truth);
const served = await serveWorld(world, { port: Number(values.port) });
const { range: ranges } = world;
process.stdout.write(`rpc ${served.url}\n`);
process.stdout.write(`${JSON.stringify({ url: served.url, ranges, labels, examples: world.examples() })}\n`);
let isStopping = false;
/** Runs once: a signal also disconnects, which looks like the parent's end. */
const stop = async (): Promise<void> => {
  if (isStopping) return;
  isStopping = true;
  await served.close();
  truth?.close();
  // The listener must not keep this process alive.
  if (process.connected) process.disconnect();
};
process.once('SIGINT', stop);
process.once('SIGTERM', stop);
void parentGone.then(stop);
