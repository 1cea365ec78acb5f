import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export type LineLimits = {
  /** Requests of one connection that have no answer yet; whoever sends more behind them is cut off. */
  readonly requestsMax: number;
  /** For a client to read an answer that is there. */
  readonly readTimeoutMs: number;
};

export const LINE_LIMITS: LineLimits = { requestsMax: 16, readTimeoutMs: 30_000 };

/**
 * Keeps one connection from holding the process. `mayAnswer` says whether a request that came in is to be answered: Node reads on
 * while there are answers to write, and parses all requests of a piece at once, which may be thousands.
 */
export const createLineBound = ({ requestsMax, readTimeoutMs }: LineLimits) => {
  const unanswered = new WeakMap<Socket, number>();
  const change = (socket: Socket, by: 1 | -1): number => {
    const count = (unanswered.get(socket) ?? 0) + by;
    unanswered.set(socket, count);
    return count;
  };
  const mayAnswer = ({ socket }: IncomingMessage, response: ServerResponse): boolean => {
    if (socket.destroyed) return false;
    if (change(socket, 1) > requestsMax) {
      socket.destroy();
      return false;
    }
    response.once('close', () => change(socket, -1));
    // Its whole answer was handed over, in its turn: from here on only its client has to do anything.
    response.once('prefinish', () => {
      if (socket.writableLength === 0) return;
      const cut = setTimeout(() => socket.destroy(), readTimeoutMs).unref();
      response.once('close', () => clearTimeout(cut));
    });
    return true;
  };
  /** A line was still for so long: whoever has answers to read, or nothing to wait for, is cut off; work goes on. */
  const endStill = (socket: Socket): void => {
    if (socket.writableLength > 0 || (unanswered.get(socket) ?? 0) <= 0) socket.destroy();
  };
  return { mayAnswer, endStill };
};
