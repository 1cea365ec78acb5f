import type { ServerResponse } from 'node:http';

/**
 * How a node misbehaves on one request: it limits the rate, is overloaded, cuts its answer, or closes the
 * connection.
 */
export type Disturbance = 'rate_limited' | 'overloaded' | 'cut_short' | 'hang_up';

export const DISTURBANCES: readonly Disturbance[] = ['rate_limited', 'overloaded', 'cut_short', 'hang_up'];

/** The request: its path names the chain, and a batch has several calls. */
export type DisturbedRequest = { readonly path: string; readonly body: string };

/** Sends a troubled node's answer in place of `text`. */
export const sendDisturbed = (disturbance: Disturbance, response: ServerResponse, text: string): void => {
  switch (disturbance) {
    case 'rate_limited':
      response.writeHead(429, { 'retry-after': '0' }).end('Too many requests');
      return;
    case 'overloaded':
      response.writeHead(503).end('Service unavailable');
      return;
    case 'cut_short':
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(text.slice(0, Math.floor(text.length / 2)));
      return;
    case 'hang_up':
      response.destroy();
  }
};
