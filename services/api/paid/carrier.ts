import type { IncomingMessage, ServerResponse } from 'node:http';

/** Hears what is read while an internal request is worked on: its own answer is told whole. */
const listeners = new WeakMap<IncomingMessage, (step: object) => void>();

export const hearSteps = (request: IncomingMessage, hear: (step: object) => void): void => {
  listeners.set(request, hear);
};

export const listenerOf = (request: IncomingMessage): ((step: object) => void) | null =>
  listeners.get(request) ?? null;

const carriers = new WeakMap<IncomingMessage, ServerResponse>();

/** Marks an internal request whose answer travels inside another response. */
export const carryBy = (request: IncomingMessage, response: ServerResponse): void => {
  carriers.set(request, response);
};

/** The response that the client reads. Only its end, not the inner one's, proves delivery. */
export const carrierOf = (request: IncomingMessage, response: ServerResponse): ServerResponse =>
  carriers.get(request) ?? response;
