import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

// Below the range of ephemeral ports. Otherwise a client that keeps trying while its server is down could get
// that very port, connect to itself, and block the server's restart.
const PORTS = { first: 20_000, last: 32_000 };
const HOST = '127.0.0.1';

/** Whether the port is free on this machine. */
export const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, HOST, () => server.close(() => resolve(true)));
  });

/** A free port for a server that may be restarted on it. */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = randomInt(PORTS.first, PORTS.last);
    if (await isFree(port)) return port;
  }
};
