import { SpoorError } from '../../../sdk/spoor-error.ts';
import { readKey } from '../client.ts';

/** Asks a route that only pages use, with the key of this tab. Throws `SpoorError` where it is refused. */
export const send = async <T>(method: Method, path: string, body?: object): Promise<T> => {
  const response = await ask(method, path, body);
  return (await readAnswer(response)) as T;
};

/** Asks such a route for a file. Throws `SpoorError` where it is refused. */
export const fetchFile = async (path: string): Promise<Blob> => {
  const response = await ask('POST', path);
  if (!response.ok) await readAnswer(response);
  return response.blob();
};

type Method = 'GET' | 'POST' | 'DELETE';

const ask = (method: Method, path: string, body?: object): Promise<Response> => {
  const key = readKey();
  return fetch(path, {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(key !== null && { authorization: `Bearer ${key}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
};

const readAnswer = async (response: Response): Promise<unknown> => {
  const text = await response.text();
  const answer: unknown = text === '' ? null : JSON.parse(text);
  if (!response.ok) throw new SpoorError(response.status, answer);
  return answer;
};
