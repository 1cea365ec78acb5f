import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { ApiMiddleware } from '../api/context.ts';
import { createApiDocument } from '../api/contract/create-document.ts';
import { listOperations } from '../api/contract/operations.ts';

const CHAINS = ['solana', 'ethereum', 'base', 'arbitrum', 'optimism', 'polygon', 'bsc'];

/** The document with every field required to be named in it. */
const strictDocument = () =>
  createApiDocument({
    operations: listOperations({ chains: CHAINS, clock: { nowUnixMs: () => 0 } }, { hasAccounts: true }),
    version: '0',
    examples: {},
    url: null,
    isStrict: true,
  });

type Check = (answer: unknown) => readonly string[];

let checks: Map<string, Check> | null = null;

/** By method, route and status; made once a process. */
const allChecks = (): Map<string, Check> => {
  if (checks !== null) return checks;
  const document = strictDocument();
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema(document, 'api');
  checks = new Map();
  for (const [path, methods] of Object.entries(document.paths ?? {}))
    for (const [method, { responses }] of Object.entries(methods as Record<string, { responses: object }>))
      for (const [status, response] of Object.entries(
        responses as Record<string, { $ref?: string; content?: object }>,
      )) {
        const place = response.$ref ?? `#/paths/${path.replaceAll('/', '~1')}/${method}/responses/${status}`;
        if (response.$ref === undefined && response.content === undefined) continue;
        // Compiled where it is first needed: all of them take seconds.
        let compiled: ValidateFunction | null = null;
        const route = path.replace(/\{(\w+)\}/g, ':$1');
        checks.set(`${method.toUpperCase()} ${route} ${status}`, (answer) => {
          compiled ??= ajv.compile({ $ref: `api${place}/content/application~1json/schema` });
          const validate = compiled;
          if (validate(answer)) return [];
          return (validate.errors ?? []).map(
            ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
          );
        });
      }
  return checks;
};

/** Routes that the document does not describe: they are no part of the contract with callers. */
const UNDESCRIBED =
  /^\/(livez|readyz|metrics|mcp|docs.*|console.*|flow|origin|case|shared|candidates|wallet|token|thief|transaction|access|openapi\.json|llms\.txt|\.well-known\/.*)?$/;

/**
 * Holds every answer against the API document. One that differs becomes a 500 that says how, so that the test that
 * asked fails with the reason.
 */
export const checkAnswers: ApiMiddleware = async (ctx, next) => {
  await next();
  const { route } = ctx.state;
  if (route === undefined || UNDESCRIBED.test(route) || ctx.respond === false) return;
  if (ctx.status === 204 || ctx.method === 'HEAD') return;
  // The same answer in another form, which tests of its route check.
  if (ctx.response.is('text/csv')) return;
  const name = `${ctx.method} ${route} ${ctx.status}`;
  const check = allChecks().get(name);
  const sent = ctx.body === undefined ? undefined : JSON.parse(JSON.stringify(ctx.body));
  const problems = check === undefined ? ['the document does not know this answer'] : check(sent);
  if (problems.length === 0) return;
  ctx.status = 500;
  ctx.body = { answer_differs_from: `${name}: describe it in the answer.ts of its route`, problems, sent };
};
