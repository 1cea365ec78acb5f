import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { ERRORS, type ErrorCode } from './errors.ts';
import { nameRequest } from './middleware/request-id.ts';
import { isPaidPath } from './paid/resources.ts';
import { NOBODYS_CREDITS } from './paid/show-credits.ts';

const URL_BYTES_MAX = 1_024;

/** The error of Node's server, with the last bytes it read. */
type BrokenError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer };

/** What is wrong with an unreadable request; null if its client is gone. */
export const codeOfBroken = ({ code = '' }: NodeJS.ErrnoException): ErrorCode | null => {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request_timeout';
  if (code === 'HPE_HEADER_OVERFLOW') return 'headers_too_large';
  return code.startsWith('HPE_') ? 'invalid_request' : null;
};

/** Writes an answer without the application, with the usual headers; null if no request could be read. */
const compose = (code: ErrorCode, requestId: string, url: string | null) => {
  const { status, sentence } = ERRORS[code];
  const body = JSON.stringify({ error: sentence, code, request_id: requestId });
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    Connection: 'close',
    'x-request-id': requestId,
    ...(isPaidPath(url?.split('?')[0] ?? '') ? NOBODYS_CREDITS : {}),
  };
  return { status, headers, body };
};

/** Answers a readable request that its head already disqualifies, then closes the connection. */
export const refuseRequest = (response: ServerResponse, code: ErrorCode): void => {
  const requestId = nameRequest(response.req.headers['x-request-id']);
  const { status, headers, body } = compose(code, requestId, response.req.url ?? null);
  response.writeHead(status, headers).end(body);
};

/**
 * Input that is not HTTP never reaches the application: it gets the usual error, and the connection closes. An
 * earlier request on the connection (`underWay`) can no longer be answered and is stopped. If its own body broke
 * off, the application answers.
 */
export const answerBrokenRequest = (
  error: BrokenError,
  socket: Duplex,
  underWay: ServerResponse | null,
): void => {
  const code = codeOfBroken(error);
  if (code === null || !socket.writable) {
    socket.destroy();
    return;
  }
  if (underWay !== null && isBodyAwaited(underWay)) {
    underWay.shouldKeepAlive = false;
    underWay.req.emit('error', error);
    return;
  }
  const url = underWay?.req.url ?? readUrl(error);
  const { status, headers, body } = compose(code, nameRequest(underWay?.getHeader('x-request-id')), url);
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const text = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...head, '', body].join('\r\n');
  // A client that keeps its half open would keep that work running.
  socket.end(text, () => socket.destroy());
};

/** If its name arrived with the unreadable part. */
const readUrl = ({ rawPacket }: BrokenError): string | null =>
  /^[A-Z]+ (\S+) HTTP\//.exec(rawPacket?.toString('latin1', 0, URL_BYTES_MAX) ?? '')?.[1] ?? null;

const isBodyAwaited = ({ req, headersSent }: ServerResponse): boolean =>
  !headersSent && !req.complete && req.listenerCount('error') > 0;
