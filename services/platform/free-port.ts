import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

// Below the range that outgoing connections take their own ports from: a client that tries again and again while its
// server is down could otherwise be given that very port, connect to itself, and keep the server from coming back.
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
