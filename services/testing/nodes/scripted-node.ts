import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export type ScriptedCall = {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
};

/** Answers one call: `result`, or `error` as a node words it. */
export type ScriptedAnswer =
  | { readonly result: unknown }
  | { readonly error: { code: number; message: string } };

export type ScriptedNode = {
  /** With a key in it, as addresses of paid nodes have. */
  readonly url: string;
  /** Every request so far: the methods it asked for. */
  readonly requests: readonly (readonly string[])[];
};

type Script = {
  readonly answer: (call: ScriptedCall) => ScriptedAnswer;
  /** Takes over a whole request; returns false to leave it to `answer`. */
  readonly intercept?: (calls: readonly ScriptedCall[], response: ServerResponse, body: unknown) => boolean;
};

export const NODE_KEY = 'secret-key-0123456789';

/** A JSON-RPC node on a free port of 127.0.0.1 that answers by a test's script, over real HTTP. Ends with the test. */
export const startScriptedNode = async ({ answer, intercept }: Script): Promise<ScriptedNode> => {
  const requests: string[][] = [];
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as ScriptedCall | ScriptedCall[];
    const calls = Array.isArray(body) ? body : [body];
    requests.push(calls.map(({ method }) => method));
    if (intercept?.(calls, response, body)) return;
    const answers = calls.map((call) => ({ jsonrpc: '2.0', ...answer(call), id: call.id }));
    response.setHeader('content-type', 'application/json');
    // Nodes may answer a batch in any order.
    response.end(JSON.stringify(Array.isArray(body) ? answers.reverse() : answers[0]));
  };
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v2/${NODE_KEY}?token=${NODE_KEY}`,
    requests,
  };
};
