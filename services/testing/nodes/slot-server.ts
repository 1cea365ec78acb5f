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
  /** Ends every connection, as a node does that restarts. */
  hangUp(): void;
};

// https://www.rfc-editor.org/rfc/rfc6455
const ACCEPT_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const TEXT_FRAME = 0x81;
const CLOSE_FRAME = 0x88;
const LENGTH_MASK = 0x7f;
const SHORT_LENGTH_MAX = 125;
const MASK_BYTES = 4;

const frame = (text: string): Buffer => {
  const body = Buffer.from(text);
  if (body.length > SHORT_LENGTH_MAX) throw new Error('only short frames are written here');
  return Buffer.concat([Buffer.from([TEXT_FRAME, body.length]), body]);
};

/** The text of a short frame of a client, whose bytes are masked. */
const readFrame = (data: Buffer): string => {
  const length = (data[1] ?? 0) & LENGTH_MASK;
  const mask = data.subarray(2, 2 + MASK_BYTES);
  const body = data.subarray(2 + MASK_BYTES, 2 + MASK_BYTES + length);
  return Buffer.from(body.map((byte, i) => byte ^ (mask[i % MASK_BYTES] ?? 0))).toString();
};

/** A node's `slotSubscribe` over a real WebSocket on a free port of 127.0.0.1. Ends with the test. */
export const startSlotServer = async (): Promise<SlotServer> => {
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
      received.push(readFrame(data));
      socket.write(frame('{"jsonrpc":"2.0","result":0,"id":1}'));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
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
    tell: (slot) => {
      const text = JSON.stringify({
        method: 'slotNotification',
        params: { result: { slot }, subscription: 0 },
      });
      for (const socket of sockets) socket.write(frame(text));
    },
    hangUp,
  };
};
