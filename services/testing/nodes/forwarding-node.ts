import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { ScriptedCall } from './scripted-node.ts';

/** The error that a call gets; null: the node behind answers. */
type Refuse = (call: ScriptedCall, headers: IncomingHttpHeaders) => { code: number; message: string } | null;

/** The result that a call gets in place of the real one. */
type Alter = (call: ScriptedCall, result: unknown) => unknown;

/**
 * Stands before a real node and refuses some of its calls, as poorer nodes do, or alters results, as nodes that are
 * wrong do. Ends with the test.
 */
export const forwardingNode = async (
  url: string,
  refuse: Refuse,
  alter: Alter = (_call, result) => result,
): Promise<{ url: string }> => {
  const answer = async (call: ScriptedCall, given: IncomingHttpHeaders): Promise<unknown> => {
    const error = refuse(call, given);
    if (error) return { jsonrpc: '2.0', id: call.id, error };
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(call) });
    const answered = (await response.json()) as { result?: unknown };
    return 'result' in answered ? { ...answered, result: alter(call, answered.result) } : answered;
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as ScriptedCall | ScriptedCall[];
    const answered = Array.isArray(body)
      ? await Promise.all(body.map((call) => answer(call, request.headers)))
      : await answer(body, request.headers);
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answered));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
};
