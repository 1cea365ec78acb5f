import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export type SlotServer = {
  readonly url: string;
  /** What clients sent, as text. */
  readonly received: readonly string[];
  connections(): number;
  /** Tells every client of a slot. */
  tell(slot: number): void;
  /** Pushes a block to every client, as `blockSubscribe` does; `block` is what `getBlock` answers, null where it failed. */
  push(slot: number, block: unknown, error?: unknown): void;
  /** Ends every connection, as a node does that restarts. */
  hangUp(): void;
};

// https://www.rfc-editor.org/rfc/rfc6455
const ACCEPT_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const TEXT_FRAME = 0x81;
const CLOSE_FRAME = 0x88;
const LENGTH_MASK = 0x7f;
const SHORT_LENGTH_MAX = 125;
const LONG_LENGTH = 127;
const MASK_BYTES = 4;

const frame = (text: string): Buffer => {
  const body = Buffer.from(text);
  if (body.length <= SHORT_LENGTH_MAX) return Buffer.concat([Buffer.from([TEXT_FRAME, body.length]), body]);
  const length = Buffer.alloc(8);
  length.writeBigUInt64BE(BigInt(body.length));
  return Buffer.concat([Buffer.from([TEXT_FRAME, LONG_LENGTH]), length, body]);
};

/** The text of a frame of a client below 64 kB, whose bytes are masked. */
const readFrame = (data: Buffer): string => {
  const short = (data[1] ?? 0) & LENGTH_MASK;
  const [length, start] = short > SHORT_LENGTH_MAX ? [data.readUInt16BE(2), 4] : [short, 2];
  const mask = data.subarray(start, start + MASK_BYTES);
  const body = data.subarray(start + MASK_BYTES, start + MASK_BYTES + length);
  return Buffer.from(body.map((byte, i) => byte ^ (mask[i % MASK_BYTES] ?? 0))).toString();
};

const REFUSED = '{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"},"id":1}';

/**
 * A node's `slotSubscribe` over a real WebSocket on a free port of 127.0.0.1, and its `blockSubscribe` where it was started
 * for that. Ends with the test.
 */
export const startSlotServer = async ({ pushesBlocks = false } = {}): Promise<SlotServer> => {
  const sockets = new Set<Socket>();
  const received: string[] = [];
  const server = createServer((_, response) => response.writeHead(426).end());
  server.on('upgrade', (request, stream) => {
    const socket = stream as Socket;
    const key = String(request.headers['sec-websocket-key']);
    const accept = createHash('sha1')
      .update(key + ACCEPT_SUFFIX)
      .digest('base64');
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (data: Buffer) => {
      if (data[0] === CLOSE_FRAME) socket.end(Buffer.from([CLOSE_FRAME, 0]));
      if (data[0] !== TEXT_FRAME) return;
      const asked = readFrame(data);
      received.push(asked);
      const isRefused = !pushesBlocks && asked.includes('"blockSubscribe"');
      socket.write(frame(isRefused ? REFUSED : '{"jsonrpc":"2.0","result":0,"id":1}'));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const notify = (method: string, result: unknown): void => {
    const message = frame(JSON.stringify({ jsonrpc: '2.0', method, params: { result, subscription: 0 } }));
    for (const socket of sockets) socket.write(message);
  };
  const hangUp = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(async () => {
    hangUp();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    connections: () => sockets.size,
    tell: (slot) => notify('slotNotification', { slot }),
    push: (slot, block, error = null) =>
      notify('blockNotification', { context: { slot }, value: { slot, block, err: error } }),
    hangUp,
  };
};
