import type { IncomingMessage, ServerResponse } from 'node:http';

const carriers = new WeakMap<IncomingMessage, ServerResponse>();

/** Marks an internal request whose answer travels inside another response. */
export const carryBy = (request: IncomingMessage, response: ServerResponse): void => {
  carriers.set(request, response);
};

/** The response that the client reads. Only its end, not the inner one's, proves delivery. */
export const carrierOf = (request: IncomingMessage, response: ServerResponse): ServerResponse =>
  carriers.get(request) ?? response;
