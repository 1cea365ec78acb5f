import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export type LineLimits = {
  /** The maximum number of unanswered requests on one connection. More close it. */
  readonly requestsMax: number;
  /** Time for a client to read a ready answer. */
  readonly readTimeoutMs: number;
};

export const LINE_LIMITS: LineLimits = { requestsMax: 16, readTimeoutMs: 30_000 };

/**
 * Keeps one connection from blocking the process. `mayAnswer` says whether a request is answered: Node keeps
 * reading while answers wait, and parses all requests of one packet at once, which may be thousands.
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
    // The whole answer was handed over: only its client has anything left to do.
    response.once('prefinish', () => {
      if (socket.writableLength === 0) return;
      const cut = setTimeout(() => socket.destroy(), readTimeoutMs).unref();
      response.once('close', () => clearTimeout(cut));
    });
    return true;
  };
  /**
   * The connection was idle for too long. It is closed if its client has answers to read or no request open;
   * running work goes on.
   */
  const endStill = (socket: Socket): void => {
    if (socket.writableLength > 0 || (unanswered.get(socket) ?? 0) <= 0) socket.destroy();
  };
  return { mayAnswer, endStill };
};
