import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { messageOf } from '../../platform/message-of.ts';
import type { World } from '../create-world.ts';
import { answerEvm } from './answer-evm.ts';
import { answerSolana } from './answer-solana.ts';
import { type BlockStore, createBlockStore } from './block-store.ts';
import { type Disturbance, type DisturbedRequest, sendDisturbed } from './disturb.ts';
import { RpcError } from './rpc-error.ts';

export type ServedWorld = {
  /** `http://127.0.0.1:PORT`; the chains answer at `/solana` and `/ethereum`. */
  readonly url: string;
  /** Generates the remaining blocks, which completes the truth. */
  readonly complete: () => Promise<void>;
  readonly close: () => Promise<void>;
};

type Answer = (
  world: World,
  store: BlockStore,
  method: string,
  parameters: readonly unknown[],
) => Promise<string>;

const ANSWERS: Readonly<Record<string, Answer>> = { '/solana': answerSolana, '/ethereum': answerEvm };
const BODY_BYTES_MAX = 4 * 1024 * 1024;
const BATCH_MAX = 1_000;
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const INTERNAL_ERROR = -32_603;

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    const part = Buffer.from(chunk as Uint8Array);
    bytes += part.length;
    if (bytes > BODY_BYTES_MAX) throw new RpcError(INVALID_REQUEST, 'request too large');
    chunks.push(part);
  }
  return Buffer.concat(chunks).toString('utf8');
};

const errorText = (id: unknown, error: unknown): string => {
  const code = error instanceof RpcError ? error.code : INTERNAL_ERROR;
  const message = messageOf(error);
  return JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: id ?? null });
};

const answerOne = async (world: World, store: BlockStore, answer: Answer, call: unknown): Promise<string> => {
  const { id, method, params } = (call ?? {}) as { id?: unknown; method?: unknown; params?: unknown };
  try {
    if (typeof method !== 'string') throw new RpcError(INVALID_REQUEST, 'Invalid request');
    const result = await answer(world, store, method, Array.isArray(params) ? params : []);
    return `{"jsonrpc":"2.0","result":${result},"id":${JSON.stringify(id ?? null)}}`;
  } catch (error) {
    return errorText(id, error);
  }
};

const answerText = async (world: World, store: BlockStore, answer: Answer, body: string): Promise<string> => {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return errorText(null, new RpcError(PARSE_ERROR, 'Parse error'));
  }
  if (!Array.isArray(parsed)) return answerOne(world, store, answer, parsed);
  if (parsed.length === 0 || parsed.length > BATCH_MAX) {
    return errorText(null, new RpcError(INVALID_REQUEST, 'Invalid batch'));
  }
  const answers = await Promise.all(parsed.map((call) => answerOne(world, store, answer, call)));
  return `[${answers.join(',')}]`;
};

/**
 * Serves the world's chains as nodes would, on 127.0.0.1 and a free port by default. Blocks are generated at the
 * first request. `disturb` chooses the requests on which nodes misbehave.
 */
export const serveWorld = async (
  world: World,
  options: { port?: number; disturb?: (request: DisturbedRequest) => Disturbance | null } = {},
): Promise<ServedWorld> => {
  const store = createBlockStore(world);
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = new URL(request.url ?? '/', 'http://127.0.0.1').pathname;
    const answer = ANSWERS[path];
    if (answer === undefined || request.method !== 'POST') {
      response.writeHead(answer === undefined ? 404 : 405).end();
      return;
    }
    let text: string;
    try {
      const body = await readBody(request);
      text = await answerText(world, store, answer, body);
      const disturbance = options.disturb?.({ path, body }) ?? null;
      if (disturbance !== null) {
        sendDisturbed(disturbance, response, text);
        return;
      }
    } catch (error) {
      text = errorText(null, error);
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end(text);
  };
  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    complete: store.complete,
    close: async () => {
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      server.closeAllConnections();
      await closed;
      store.close();
    },
  };
};
