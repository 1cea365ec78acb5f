import type { ApiMiddleware } from '../../api/context.ts';
import { keptPage } from '../../api/documents/kept-page.ts';
import type { Route } from '../../api/router.ts';
import { type Bundle, readBundle } from './bundle.ts';
import { PAGE_HEADERS } from './headers.ts';

/** Paths of the page's views. One page answers them all and reads its own address. */
const VIEW_PATHS = [
  '/flow',
  '/origin',
  '/case',
  '/shared',
  '/candidates',
  '/wallet',
  '/token',
  '/thief',
  '/transaction',
  '/access',
] as const;

/** The console: pages on which people look at money. They ask the same routes as everybody else. */
export const consoleRoutes = (
  startForPrograms: ApiMiddleware,
  read: () => Promise<Bundle> = readBundle,
): readonly Route[] => {
  const script = keptPage('text/javascript', async () => (await read()).script);
  const style = keptPage('text/css', async () => (await read()).style);
  const html = keptPage('text/html', async () => Buffer.from(writePage((await read()).hash)));
  const guarded =
    (show: ApiMiddleware): ApiMiddleware =>
    async (ctx, next) => {
      ctx.set(PAGE_HEADERS);
      await show(ctx, next);
    };
  const page = guarded(async (ctx, next) => {
    await html(ctx, next);
    // It names the newest script.
    ctx.set('Cache-Control', 'no-cache');
  });
  return [
    [
      'GET',
      '/',
      (ctx, next) => {
        ctx.vary('Accept');
        return ctx.accepts('json', 'html') === 'html' ? page(ctx, next) : startForPrograms(ctx, next);
      },
    ],
    ...VIEW_PATHS.map((path): Route => ['GET', path, page]),
    ['GET', '/console/console.js', guarded(script)],
    ['GET', '/console/console.css', guarded(style)],
  ];
};

const writePage = (hash: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Spoor</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/console/console.css?${hash}">
    <script type="module" src="/console/console.js?${hash}"></script>
  </head>
  <body>
    <div id="page"></div>
    <noscript>The console needs JavaScript. The API does not: see /docs.</noscript>
  </body>
</html>
`;
