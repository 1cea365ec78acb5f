#!/usr/bin/env node
// Runs the command line on the Node that the project brings, where the machine's own is older: sources are TypeScript.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NODE_MAJOR = 24;
const main = fileURLToPath(new URL('../services/cli/main.ts', import.meta.url));

if (Number(process.versions.node.split('.')[0]) >= NODE_MAJOR) {
  await import(main);
} else {
  const own = join(dirname(createRequire(import.meta.url).resolve('node/package.json')), 'bin', 'node');
  const child = spawn(own, [main, ...process.argv.slice(2)], {
    // The channel tells the child when this process is gone, however it ended.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  // The terminal sends an interrupt to both; a stop that was sent to us alone is passed on.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.on('exit', (code, signal) => {
    if (signal) {
      // Our own listeners would swallow it, and whoever waits for us would be told that all went well.
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    } else process.exitCode = code ?? 1;
  });
}
