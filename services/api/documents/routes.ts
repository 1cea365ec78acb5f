import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { consoleRoutes } from '../../console/serve/routes.ts';
import type { Clock } from '../../platform/clock.ts';
import type { ApiMiddleware } from '../context.ts';
import { createApiDocument } from '../contract/create-document.ts';
import { readExamples } from '../contract/describe-api.ts';
import type { Operation } from '../contract/operation.ts';
import { keepFresh } from '../keep-fresh.ts';
import type { Route } from '../router.ts';
import { DOCS_PAGE, DOCS_SCRIPT } from './docs-page.ts';
import { keptPage } from './kept-page.ts';
import { writeLlmsText } from './llms-text.ts';

export type DocumentDependencies = {
  readonly operations: readonly Operation[];
  readonly version: string;
  /** The address that callers see; null: as each request says. */
  readonly publicUrl?: URL | null;
  readonly takesPayments: boolean;
  /** Public keys of what is signed here, with their times; without it nothing is. */
  readonly evidenceKeys?: (() => Promise<readonly object[]>) | null;
  readonly clock: Clock;
};

/** A file is read for it. */
const KEYS_FRESH_MS = 10_000;

const SWAGGER = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const SWAGGER_FILES = {
  'swagger-ui.css': 'text/css',
  'swagger-ui-bundle.js': 'text/javascript',
} as const;

/** Only its own script and styles; the script also sets styles on elements. No frame, form or base of others. */
const DOCS_POLICY = [
  ...["default-src 'self'", "style-src 'self' 'unsafe-inline'", "img-src 'self' data:", "object-src 'none'"],
  ...["frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"],
].join('; ');

/** Free pages for people and programs: what this service is and how to call it. */
export const documentRoutes = (dependencies: DocumentDependencies): readonly Route[] => {
  const { operations, takesPayments, version, publicUrl = null, evidenceKeys, clock } = dependencies;
  const document = (): string => {
    const examples = readExamples();
    return JSON.stringify(
      createApiDocument({ operations, version, examples, url: publicUrl?.origin ?? null }),
    );
  };
  const paidPaths = operations.filter(({ tariffs }) => tariffs !== undefined).map(({ path }) => path);
  const originOf = ({ protocol, host }: { protocol: string; host: string }): string =>
    publicUrl?.origin ?? `${protocol}://${host}`;

  const docs = keptPage('text/html', () => DOCS_PAGE);
  const swaggerFiles = Object.entries(SWAGGER_FILES).map(
    ([file, type]): Route => [
      'GET',
      `/docs/${file}`,
      keptPage(type, () => readFileSync(join(SWAGGER, file))),
    ],
  );
  return [
    ...consoleRoutes(createStartHandler(version)),
    ['GET', '/openapi.json', keptPage('application/json', document)],
    [
      'GET',
      '/docs',
      (ctx, next) => {
        ctx.set('Content-Security-Policy', DOCS_POLICY);
        return docs(ctx, next);
      },
    ],
    ['GET', '/docs/start.js', keptPage('text/javascript', () => DOCS_SCRIPT)],
    ...swaggerFiles,
    ['GET', '/llms.txt', keptPage('text/plain', () => writeLlmsText(operations, version))],
    ...(evidenceKeys ? [keysRoute(keepFresh(evidenceKeys, clock, KEYS_FRESH_MS))] : []),
    ...(takesPayments
      ? [
          [
            'GET',
            '/.well-known/x402',
            (ctx) => {
              ctx.body = { version: 1, resources: paidPaths.map((path) => originOf(ctx) + path) };
            },
          ] satisfies Route,
        ]
      : []),
  ];
};

/** By them anybody verifies a case. */
const keysRoute = (read: () => Promise<readonly object[]>): Route => [
  'GET',
  '/.well-known/spoor-keys.json',
  async (ctx) => {
    ctx.body = { keys: await read() };
  },
];

/** GET / for programs: what this is and where to go. Browsers get the console. */
const createStartHandler =
  (version: string): ApiMiddleware =>
  (ctx) => {
    ctx.body = {
      name: 'Spoor',
      description: 'Follows money on Solana and EVM chains.',
      version,
      documentation: '/docs',
      openapi: '/openapi.json',
      for_agents: '/llms.txt',
      mcp: '/mcp',
      status: '/status',
    };
  };
