import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export type LineLimits = {
  /** The maximum number of unanswered requests on one connection. More close it. */
  readonly requestsMax: number;
  /** Time for a client to read a ready answer. */
  readonly readTimeoutMs: number;
};

export const LINE_LIMITS: LineLimits = { requestsMax: 16, readTimeoutMs: 30_000 };

type Line = { unanswered: number; isBusy: boolean; readonly waiting: (() => void)[] };

/**
 * Keeps one connection from blocking the process. Node keeps reading while answers wait, and parses all requests of
 * one packet at once, which may be thousands.
 */
export const createLineBound = ({ requestsMax, readTimeoutMs }: LineLimits) => {
  const lines = new WeakMap<Socket, Line>();
  const lineOf = (socket: Socket): Line => {
    const line = lines.get(socket) ?? { unanswered: 0, isBusy: false, waiting: [] };
    lines.set(socket, line);
    return line;
  };
  const giveTurn = (socket: Socket, line: Line): void => {
    const next = line.waiting.shift();
    line.isBusy = next !== undefined && !socket.destroyed;
    if (line.isBusy) next?.();
  };
  /** Whether the request may have an answer at all. */
  const admit = ({ socket }: IncomingMessage, response: ServerResponse): boolean => {
    if (socket.destroyed) return false;
    const line = lineOf(socket);
    line.unanswered += 1;
    if (line.unanswered > requestsMax) {
      socket.destroy();
      return false;
    }
    // The whole answer was handed over: only its client has anything left to do.
    response.once('prefinish', () => {
      if (socket.writableLength === 0) return;
      const cut = setTimeout(() => socket.destroy(), readTimeoutMs).unref();
      response.once('close', () => clearTimeout(cut));
    });
    return true;
  };
  /**
   * Calls `answer` when every earlier answer of the connection is with its client: work ahead of its turn would wait
   * in memory, and its client may leave. Refuses requests beyond the limit.
   */
  const inTurn = (request: IncomingMessage, response: ServerResponse, answer: () => void): void => {
    if (!admit(request, response)) return;
    const { socket } = request;
    const line = lineOf(socket);
    response.once('close', () => {
      line.unanswered -= 1;
      // In between, other connections are served.
      setImmediate(giveTurn, socket, line);
    });
    line.waiting.push(answer);
    if (!line.isBusy) giveTurn(socket, line);
  };
  /**
   * The connection was idle for too long. It is closed if its client has answers to read or no request open;
   * running work goes on.
   */
  const endStill = (socket: Socket): void => {
    if (socket.writableLength > 0 || lineOf(socket).unanswered <= 0) socket.destroy();
  };
  return { inTurn, endStill };
};
