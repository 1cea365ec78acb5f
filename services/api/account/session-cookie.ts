import type { Context } from 'koa';
import { SESSION_MS } from '../../accounts/signed-in.ts';

/** The `__Host-` prefix makes browsers refuse a cookie set for a parent domain or without `Secure`. */
const nameOf = (origin: URL): string =>
  origin.protocol === 'https:' ? '__Host-spoor_session' : 'spoor_session';

export const readSessionCookie = (ctx: Pick<Context, 'cookies'>, origin: URL): string =>
  ctx.cookies.get(nameOf(origin)) ?? '';

/** `null` deletes it. */
export const writeSessionCookie = (ctx: Pick<Context, 'append'>, origin: URL, token: string | null): void => {
  const attributes = [
    'Path=/',
    'HttpOnly',
    'SameSite=Strict',
    `Max-Age=${token === null ? 0 : SESSION_MS / 1_000}`,
  ];
  if (origin.protocol === 'https:') attributes.push('Secure');
  ctx.append('Set-Cookie', `${nameOf(origin)}=${token ?? ''}; ${attributes.join('; ')}`);
};
