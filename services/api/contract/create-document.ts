import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiResponsesObject } from 'zod-openapi';
import { creditsObject } from '../billing/answer.ts';
import { ERRORS, type ErrorCode } from '../errors.ts';
import { amountOf, describePrice } from './describe-price.ts';
import { errorAnswer } from './error-answer.ts';
import type { Examples, Operation } from './operation.ts';

type DocumentSource = {
  readonly operations: readonly Operation[];
  readonly version: string;
  /** Those of `schemas/examples.json`. */
  readonly examples: Examples;
  /** The address that callers see; null: the serving one. */
  readonly url: string | null;
  /** Whether unknown fields are errors. Only tests want that, because clients must accept new fields. */
  readonly isStrict?: boolean;
};

/** Statuses that every route may return: 417 and 421 before it is known, 503 while the service starts. */
const EVERYWHERE = [400, 405, 408, 417, 421, 431, 500, 503] as const;

/** Account routes are not there where nobody can sign in, and packs where no payments are taken. */
const OF_ACCOUNTS = [404] as const;

/** The OpenAPI 3.1 document. */
export const createApiDocument = ({
  operations,
  version,
  examples,
  url,
  isStrict = false,
}: DocumentSource) => {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const operation of operations) {
    const methods = paths[operation.path] ?? {};
    const { id } = operation;
    methods[operation.method] = describeOperation(
      operation,
      operation.examples?.(examples) ?? { [id]: examples[id] },
    );
    paths[operation.path] = methods;
  }
  const document = createDocument(
    {
      openapi: '3.1.1',
      info: {
        title: 'Spoor',
        version,
        summary: 'Follows money on Solana and EVM chains.',
        description: INTRODUCTION,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: url ?? '/' }],
      tags: TAGS,
      paths,
      components: { schemas: { Credits: creditsObject }, securitySchemes: SECURITY_SCHEMES },
    },
    {
      override: ({ jsonSchema, io }) => {
        if (!isStrict && io === 'output' && jsonSchema.additionalProperties === false)
          delete jsonSchema.additionalProperties;
      },
    },
  );
  tidySchemas(document);
  return document;
};

type Described = { description?: string; type?: unknown; $ref?: string; additionalProperties?: unknown };
type Node = Described & { anyOf?: Described[] };

/**
 * Fixes two faults of the generator. `nullable()` leaves a field's description one level down, where readers do
 * not look. And `additionalProperties: false` beside a reference would forbid everything that the reference names.
 */
const tidySchemas = (value: unknown): void => {
  if (typeof value !== 'object' || value === null) return;
  const node = value as Node;
  const [inner, none, ...more] = node.anyOf ?? [];
  if (inner?.description && none?.type === 'null' && more.length === 0) {
    node.description ??= inner.description;
    if (node.description.startsWith(inner.description)) delete inner.description;
  }
  if (node.$ref !== undefined) delete node.additionalProperties;
  for (const member of Object.values(value)) tidySchemas(member);
};

const INTRODUCTION =
  'Requests and answers are JSON. Results are leads, not proofs. An unknown field of a request is an error, because a ' +
  'call costs money. Answers may get new fields at any time. Every `amount` has an exact `amount_raw` beside it.';

const TAGS = [
  { name: 'questions', description: 'Who, where to, and through what. Paid by key or by x402.' },
  { name: 'jobs', description: 'Many transfers traced as one job. Paid by key.' },
  { name: 'billing', description: 'What a key has left. Free.' },
  {
    name: 'account',
    description: 'Signing in with a wallet, keys and credits. Only where the operator allows it.',
  },
  { name: 'service', description: 'How the service is. Free.' },
];

const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', description: 'The API key.' },
  apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'The API key.' },
  x402: {
    type: 'apiKey',
    in: 'header',
    name: 'PAYMENT-SIGNATURE',
    description:
      'A signed x402 version 2 payment for this one call, base64 JSON. PAYMENT-REQUIRED of a 402 says the price.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-spoor_session',
    description: 'Set by POST /account/session. Over plain http its name is spoor_session.',
  },
} as const;

const ACCESS: Readonly<Record<Operation['access'], Record<string, string[]>[]>> = {
  free: [],
  key: [{ bearer: [] }, { apiKey: [] }],
  session: [{ session: [] }],
};

const describeOperation = (operation: Operation, examples: Examples): ZodOpenApiOperationObject => {
  const { id, summary, tag, body, access, parameters = {}, query = {}, tariffs } = operation;
  const description = [operation.description, operation.overHttp].filter(Boolean).join(' ');
  const isPaid = tariffs !== undefined;
  return {
    operationId: id,
    summary,
    description: isPaid ? `${description} ${describePrice(tariffs)}` : description,
    tags: [tag],
    // Paid routes need nothing until the operator opens the first account.
    security: isPaid ? [...ACCESS.key, { x402: [] }, {}] : ACCESS[access],
    parameters: [
      ...Object.entries(parameters).map(([name, of]) => ({
        name,
        in: 'path' as const,
        required: true,
        ...of,
      })),
      ...Object.entries(query).map(([name, of]) => ({ name, in: 'query' as const, required: false, ...of })),
      ...(isPaid ? [IDEMPOTENCY_KEY] : []),
    ],
    ...(body && {
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: body, ...showOf(examples, 'request') },
        },
      },
    }),
    responses: describeResponses(operation, examples),
    ...(isPaid && { 'x-payment-info': paymentInfo(tariffs) }),
  };
};

/** For catalogues of x402 services. */
const paymentInfo = (tariffs: NonNullable<Operation['tariffs']>) => {
  const [lowest = '', highest = lowest] = tariffs.map(amountOf);
  const range = { mode: 'dynamic', currency: 'USD', min: lowest, max: highest };
  return {
    protocols: ['x402'],
    price: lowest === highest ? { mode: 'fixed', currency: 'USD', amount: lowest } : range,
  };
};

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header' as const,
  required: false,
  description:
    'With a key: the same id and body bring the same answer for a day and are charged once. 1 to 255 printable characters.',
  schema: { type: 'string' as const },
};

/** One example stands alone, several have names. */
const showOf = (examples: Examples, side: 'request' | 'answer') => {
  const known = Object.entries(examples).flatMap(([name, example]) =>
    example?.[side] === undefined ? [] : [[name, { value: example[side] }] as const],
  );
  const [first] = known;
  if (first === undefined) return {};
  return known.length === 1 ? { example: first[1].value } : { examples: Object.fromEntries(known) };
};

const describeResponses = (operation: Operation, examples: Examples): ZodOpenApiResponsesObject => {
  const { answer, status, errors = [], tariffs, file } = operation;
  const isPaid = tariffs !== undefined;
  const good = {
    description: answer === null && file === undefined ? 'Done.' : 'The answer.',
    headers: { ...REQUEST_ID, ...(isPaid && { ...CREDITS, ...PAYMENT_RESPONSE }) },
    ...(file && { content: { [file]: { schema: { type: 'string' as const } } } }),
    ...(answer && {
      content: { 'application/json': { schema: answer, ...showOf(examples, 'answer') } },
    }),
  };
  const responses: Record<string, object> = { [status]: good };
  const more = operation.tag === 'account' ? OF_ACCOUNTS : [];
  for (const code of new Set([...errors, ...more, ...EVERYWHERE]))
    responses[code] = errorResponse(code, isPaid);
  // A service that is down answers with the same body.
  if (operation.path === '/status') responses['503'] = { ...good, description: 'The service is down.' };
  return responses as ZodOpenApiResponsesObject;
};

const describeError = (status: number, isPaid: boolean) => ({
  id: `${isPaid ? 'PaidError' : 'Error'}${status}`,
  description: (Object.keys(ERRORS) as ErrorCode[])
    .filter((code) => ERRORS[code].status === status)
    .map((code) => `\`${code}\`: ${ERRORS[code].sentence}`)
    .join('\n\n'),
  headers: {
    ...REQUEST_ID,
    ...(isPaid && CREDITS),
    ...(status === 402 && PAYMENT_REQUIRED),
    ...((status === 429 || status === 409 || status === 503) && RETRY_AFTER),
    ...(status === 405 && ALLOW),
  },
  content: { 'application/json': { schema: errorAnswer } },
});

/** Schemas must be the same object to be referred to once; equal objects are not enough. */
const errorResponses = new Map<string, ReturnType<typeof describeError>>();
const errorResponse = (status: number, isPaid: boolean) => {
  const key = `${status} ${isPaid}`;
  const known = errorResponses.get(key) ?? describeError(status, isPaid);
  errorResponses.set(key, known);
  return known;
};

const text = (description: string) => ({ description, schema: { type: 'string' as const } });
const REQUEST_ID = { 'x-request-id': text('Identifies this call; the caller may choose it.') };
const CREDITS = {
  'x-service-credits': {
    description: 'What the account has left: the object Credits as JSON text.',
    schema: { type: 'string' as const, contentMediaType: 'application/json' },
  },
};
const PAYMENT_REQUIRED = {
  'PAYMENT-REQUIRED': text('What the call costs by x402, base64 JSON. Not with a key.'),
};
const PAYMENT_RESPONSE = { 'PAYMENT-RESPONSE': text('The settlement of a payment by x402, base64 JSON.') };
const RETRY_AFTER = { 'Retry-After': text('Seconds to wait; not always given.') };
const ALLOW = { Allow: text('The methods that this address takes.') };
