import { SpoorError } from '../../../sdk/spoor-error.ts';
import { readKey } from '../client.ts';

/** Asks a route that only pages use, with the key of this tab. Throws `SpoorError` where it is refused. */
export const send = async <T>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<T> => {
  const key = readKey();
  const response = await fetch(path, {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(key !== null && { authorization: `Bearer ${key}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const answer: unknown = text === '' ? null : JSON.parse(text);
  if (!response.ok) throw new SpoorError(response.status, answer);
  return answer as T;
};
