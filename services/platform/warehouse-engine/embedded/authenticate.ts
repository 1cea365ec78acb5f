import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Credentials } from '../create-clients.ts';
import { ROLES, type Role } from './endpoint.ts';
import { EngineException } from './engine-exception.ts';

/** Whose credentials a request carries: basic authentication, ClickHouse's headers, or the URL. Throws error 516. */
export function authenticate(
  request: IncomingMessage,
  search: URLSearchParams,
  credentials: Readonly<Record<Role, Credentials>>,
): Role {
  const given = basic(request) ??
    headers(request) ?? {
      username: search.get('user') ?? '',
      password: search.get('password') ?? '',
    };
  const role = ROLES.find((name) => credentials[name].username === given.username);
  if (role === undefined || !sameSecret(credentials[role].password, given.password)) {
    throw new EngineException(
      516,
      'AUTHENTICATION_FAILED',
      `${given.username || 'default'}: Authentication failed: password is incorrect, or there is no user with such name`,
    );
  }
  return role;
}

function basic(request: IncomingMessage): Credentials | null {
  const [scheme, value] = (request.headers.authorization ?? '').split(' ');
  if (scheme?.toLowerCase() !== 'basic' || !value) return null;
  const [username = '', ...password] = Buffer.from(value, 'base64').toString('utf8').split(':');
  return { username, password: password.join(':') };
}

function headers(request: IncomingMessage): Credentials | null {
  const username = request.headers['x-clickhouse-user'];
  const password = request.headers['x-clickhouse-key'];
  if (typeof username !== 'string') return null;
  return { username, password: typeof password === 'string' ? password : '' };
}

function sameSecret(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}
