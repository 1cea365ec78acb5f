import type { IncomingMessage, ServerResponse } from 'node:http';

const carriers = new WeakMap<IncomingMessage, ServerResponse>();

/** An answer to this request, which never had a connection of its own, goes to the client within another response. */
export const carryBy = (request: IncomingMessage, response: ServerResponse): void => {
  carriers.set(request, response);
};

/** The response that the client reads: its end, and not that of an inner one, says that an answer arrived. */
export const carrierOf = (request: IncomingMessage, response: ServerResponse): ServerResponse =>
  carriers.get(request) ?? response;
