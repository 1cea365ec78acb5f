import { describePrice } from '../contract/describe-price.ts';
import type { Operation } from '../contract/operation.ts';

/** GET /llms.txt: the service on one page, for language models (llmstxt.org). */
export const writeLlmsText = (operations: readonly Operation[], version: string): string => {
  const tell = (operation: Operation): string =>
    [
      `- ${operation.method.toUpperCase()} ${operation.path}: ${operation.summary} ${operation.description}`,
      operation.overHttp ?? [],
      operation.tariffs ? describePrice(operation.tariffs) : operation.tag === 'jobs' ? [] : 'Free.',
    ]
      .flat()
      .join(' ');
  const section = (tag: Operation['tag']): string =>
    operations
      .filter((operation) => operation.tag === tag)
      .map(tell)
      .join('\n');
  return `# Spoor

> Follows money on Solana and EVM chains: where funds went, who took a deposit out of a mixer or exchange. Version ${version}.

Requests and answers are JSON. Results are leads, not proofs. An answer with meta.scope "partial" says what it lacks.
Amounts come twice: \`amount\` for reading and \`amount_raw\` for exact sums. An address without a label is not thereby clean.
An end of a trail may carry \`end.next\`: the path and body of the call that goes on from there.

## Ways to call
- [OpenAPI document](/openapi.json): every route, field and error.
- [MCP](/mcp): the same questions as tools, over streamable HTTP.
- Without a key, a paid route answers 402; its header PAYMENT-REQUIRED says the price. Sign it with any x402 v2 client.

## Questions
${section('questions')}

## Jobs
${section('jobs')}

## Free
${section('service')}
${section('billing')}
`;
};
