import { McpServer, type ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { describePrice } from '../api/contract/describe-price.ts';
import { errorAnswer } from '../api/contract/error-answer.ts';
import type { Operation } from '../api/contract/operation.ts';
import type { Step } from '../sdk/read-steps.ts';
import { boundAnswer, type Detail } from './bound-answer.ts';
import type { CallRoute, RouteAnswer } from './call-route.ts';
import { TOOLS, type Tool } from './tools.ts';

type Offered = { readonly operations: readonly Operation[]; readonly version: string };

type Calls = {
  readonly callRoute: CallRoute;
  /** Headers that identify the payer, from the request to /mcp or from the command's options. Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
};

const INSTRUCTIONS =
  'Follows money on Solana and EVM chains. Results are leads, not proofs: name their confidence and evidence. An address ' +
  'without a label is unknown, not clean. Go on from an end of a trail with the call in `end.next`.';

const detail = z.enum(['summary', 'full']).optional().meta({
  description: 'summary (default) shows 5 entries of each list, full shows 100. Costs the same.',
});

const truncated = z.array(z.object({ path: z.string(), shown: z.int(), total: z.int() })).meta({
  description: 'Lists that were cut. Ask again with detail "full", or call the HTTP route for all of it.',
});

/** Defined by x402: https://github.com/x402-foundation/x402, transports v2, MCP. */
const paymentRequired = z
  .looseObject({
    x402Version: z.literal(2),
    error: z.string().optional(),
    accepts: z.array(z.looseObject({})),
  })
  .meta({ description: 'The call must be paid for.' });

/**
 * A tool's description. It takes milliseconds and is the same for everybody, so it is made once, not for each
 * server.
 */
const showTools = (operations: readonly Operation[]) =>
  TOOLS.flatMap((tool) => {
    const operation = operations.find(({ id }) => id === tool.operation);
    if (!operation?.body || !operation.answer) return [];
    const output = z.union([z.object({ answer: operation.answer, truncated }), paymentRequired, errorAnswer]);
    const shown = {
      title: tool.title,
      description: `${operation.description} ${describePrice(operation.tariffs ?? [])}`,
      inputSchema: described(inputOf(operation.body)),
      outputSchema: described(z.toJSONSchema(output, { io: 'output' })),
      annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: true },
    };
    return [{ tool, path: operation.path, shown }];
  });

/** Makes servers with one tool per question. A server serves one connection or one request. */
export const prepareMcpServers = ({ operations, version }: Offered): ((caller: Calls) => McpServer) => {
  const tools = showTools(operations);
  return ({ callRoute, headers }) => {
    const server = new McpServer({ name: 'spoor', title: 'Spoor', version }, { instructions: INSTRUCTIONS });
    for (const { tool, path, shown } of tools) {
      server.registerTool(tool.name, shown, async (input: unknown, context: ServerContext) => {
        const { detail: asked = 'summary', ...body } = (input ?? {}) as { detail?: Detail };
        const answer = await callRoute({
          path,
          body,
          headers: { ...headers, ...paymentHeader(context), ...onceHeader(context) },
          signal: context.mcpReq.signal,
          ...progressOf(context),
        });
        return toResult(tool, answer, asked);
      });
    }
    return server;
  };
};

/** The route checks the input and names wrong fields; here it is only described. */
const described = (schema: Record<string, unknown>) => ({
  '~standard': {
    version: 1 as const,
    vendor: 'spoor',
    validate: (value: unknown) => ({ value }),
    jsonSchema: { input: () => schema, output: () => schema },
  },
});

const inputOf = (body: z.ZodType): Record<string, unknown> => {
  const schema = z.toJSONSchema(body, { io: 'input' }) as { properties?: object };
  return { ...schema, properties: { ...schema.properties, detail: z.toJSONSchema(detail, { io: 'input' }) } };
};

/** A payment comes as an object in `_meta`; the route takes it as a header. */
const paymentHeader = ({ mcpReq }: ServerContext): Record<string, string> => {
  const payment = mcpReq._meta?.['x402/payment'];
  if (payment === undefined) return {};
  return { 'payment-signature': Buffer.from(JSON.stringify(payment)).toString('base64') };
};

/** A client that wants to hear of progress gives a token for it. */
const progressOf = ({ mcpReq }: ServerContext): { readonly onStep?: (step: Step) => void } => {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return {};
  let progress = 0;
  const onStep = ({ kind, chain, address }: Step): void => {
    progress += 1;
    const params = { progressToken, progress, message: `${kind} ${address} from ${chain}` };
    // A client that has left hears of its answer no more either.
    void mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
  return { onStep };
};

/** Same as the header Idempotency-Key: a client that never got its answer fetches it with the same key. */
const onceHeader = ({ mcpReq }: ServerContext): Record<string, string> => {
  const key = mcpReq._meta?.['spoor/idempotency-key'];
  return key === undefined ? {} : { 'idempotency-key': String(key) };
};

const toResult = (tool: Tool, { status, header, body }: RouteAnswer, asked: Detail) => {
  const required = header('payment-required');
  if (status === 402 && required !== null) {
    const terms = decode(required);
    return { isError: true, structuredContent: terms, content: [text(JSON.stringify(terms))] };
  }
  if (status !== 200) {
    const error = body as z.infer<typeof errorAnswer>;
    return { isError: true, structuredContent: error, content: [text(`${error.error} (${error.code})`)] };
  }
  const receipt = header('payment-response');
  const bounded = boundAnswer(body, asked);
  const cuts = bounded.truncated.length === 0 ? '' : '\nLists were cut: ask with detail "full" for more.';
  return {
    structuredContent: bounded,
    content: [text(tool.summarise(body as never) + cuts)],
    ...(receipt !== null && { _meta: { 'x402/payment-response': decode(receipt) } }),
  };
};

const text = (words: string) => ({ type: 'text' as const, text: words });
const decode = (base64: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(base64, 'base64').toString('utf8')) as Record<string, unknown>;
