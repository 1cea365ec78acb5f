import { connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import { type Credentials, createWarehouseClient } from '../../platform/warehouse-engine/create-clients.ts';
import { readEndpoint } from '../../platform/warehouse-engine/embedded/endpoint.ts';
import { startEmbeddedWarehouse } from '../../platform/warehouse-engine/embedded/start-embedded-warehouse.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';

export type WarehouseServer = {
  /** What a service is told to use it. Every connection can be cut. */
  readonly env: { readonly CLICKHOUSE_URL: string; readonly CLICKHOUSE_READER_URL: string };
  /** Reaches it in any case. */
  readonly writer: WarehouseClient;
  /** As it was before any service made tables on it. */
  empty(): Promise<void>;
  /** From now on it is out of reach: what is connected breaks, wherever it is in a question or an insert. */
  cut(): void;
  mend(): void;
  /** The next request that has these words does not get through whole. Resolves when it is on its way. */
  hold(words: string): Promise<void>;
  /** Lets through what is held, late. */
  release(): void;
  stop(): Promise<void>;
};

/** A server that a service is given by its address, behind a proxy. */
export const startWarehouseServer = async (folder: string, database: string): Promise<WarehouseServer> => {
  const engine = await startEmbeddedWarehouse({ folder, database });
  const proxy = await startProxy(Number(new URL(engine.url).port));
  const credentials = readEndpoint(folder)?.credentials;
  if (!credentials) throw new Error('a running engine says how it is reached');
  const urlOf = ({ username, password }: Credentials): string =>
    `http://${username}:${password}@127.0.0.1:${proxy.port}`;
  const outside = createWarehouseClient({
    url: engine.url,
    database: 'system',
    credentials: credentials.writer,
  });
  return {
    env: { CLICKHOUSE_URL: urlOf(credentials.writer), CLICKHOUSE_READER_URL: urlOf(credentials.reader) },
    writer: engine.writer,
    empty: async () => {
      await outside.command({ query: `DROP DATABASE IF EXISTS ${database} SYNC` });
    },
    cut: proxy.cut,
    mend: proxy.mend,
    hold: proxy.hold,
    release: proxy.release,
    stop: async () => {
      await proxy.close();
      await outside.close();
      await engine.close();
    },
  };
};

export const startProxy = async (target: number) => {
  let isCut = false;
  const sockets = new Set<Socket>();
  let wanted: { words: string; isHeld(): void } | null = null;
  let release = (): void => {};
  /** Keeps the last byte back, so that the other side knows of a request and waits for the rest. */
  const holding = () =>
    new Transform({
      transform(chunk: Buffer, _encoding, done): void {
        if (!wanted || !chunk.includes(wanted.words)) {
          done(null, chunk);
          return;
        }
        wanted.isHeld();
        wanted = null;
        this.push(chunk.subarray(0, -1));
        release = () => done(null, chunk.subarray(-1));
      },
    });
  const drop = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const watch = (socket: Socket, other: () => Socket): Socket => {
    sockets.add(socket);
    socket.on('error', () => {});
    return socket.once('close', () => {
      sockets.delete(socket);
      other().destroy();
    });
  };
  const server = createServer((near) => {
    if (isCut) return void near.destroy();
    const far: Socket = watch(connect(target, '127.0.0.1'), () => near);
    watch(near, () => far)
      .pipe(holding())
      .pipe(far)
      .pipe(near);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    cut: (): void => {
      isCut = true;
      drop();
    },
    mend: (): void => {
      isCut = false;
    },
    hold: (words: string): Promise<void> =>
      new Promise((resolve) => {
        wanted = { words, isHeld: resolve };
      }),
    release: (): void => release(),
    close: (): Promise<void> => {
      drop();
      return new Promise((closed) => server.close(() => closed()));
    },
  };
};
