import type { ServerResponse } from 'node:http';

/**
 * How a node misbehaves on one request: limits the rate, is overloaded, cuts its answer short, or ends the connection.
 */
export type Disturbance = 'rate_limited' | 'overloaded' | 'cut_short' | 'hang_up';

export const DISTURBANCES: readonly Disturbance[] = ['rate_limited', 'overloaded', 'cut_short', 'hang_up'];

/** What was asked: the path names the chain, a batch has several calls. */
export type DisturbedRequest = { readonly path: string; readonly body: string };

/** Sends what a node in trouble would send in place of `text`. */
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
