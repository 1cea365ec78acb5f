import { messageOf } from '../../message-of.ts';

/** The library holds no server that can be started, or there is none for this machine. */
export class ServerMissingError extends Error {
  readonly code = 'server_missing';
  constructor(cause: unknown) {
    super(
      `chDB's library cannot be used on ${process.platform}-${process.arch} (${messageOf(cause).replace(/\s+/g, ' ')}): set CLICKHOUSE_URL to use a ClickHouse server instead`,
      { cause },
    );
    this.name = 'ServerMissingError';
  }
}

const LIBRARY = 'chdb';

/** Makes a pipe with a name, which Node cannot. Throws `ServerMissingError`. */
export const makePipe = async (path: string): Promise<void> => {
  try {
    const { DataType, load, open } = await import('ffi-rs');
    // No path: of this process itself, and so of its C library.
    open({ library: 'process', path: '' });
    const failed = load({
      library: 'process',
      funcName: 'mkfifo',
      retType: DataType.I32,
      paramsType: [DataType.String, DataType.I32],
      paramsValue: [path, 0o600],
    });
    if (failed) throw new Error(`no pipe can be made at ${path}`);
  } catch (cause) {
    throw new ServerMissingError(cause);
  }
};

/**
 * Runs `clickhouse local` inside this process. Resolves when that ends, with what went wrong before its first query; what goes wrong
 * later is printed. chDB's library exports the entry and does not promise it: the version is pinned. Throws `ServerMissingError`.
 */
export const runServer = async (args: readonly string[]): Promise<string | null> => {
  try {
    const { libchdbPath } = await import('chdb/libchdb');
    const { DataType, load, open } = await import('ffi-rs');
    open({ library: LIBRARY, path: libchdbPath() });
    const result = await load({
      library: LIBRARY,
      funcName: 'chdb_query_cmdline',
      retType: DataType.External,
      paramsType: [DataType.I32, DataType.StringArray],
      paramsValue: [args.length, [...args]],
      // In a thread of its own: the call returns when the server ends.
      runInNewThread: true,
    });
    const problem = { library: LIBRARY, funcName: 'chdb_result_error', paramsType: [DataType.External] };
    // No text is a pointer of nought, which cannot be read as one.
    if (!load({ ...problem, retType: DataType.U64, paramsValue: [result] })) return null;
    return load({ ...problem, retType: DataType.String, paramsValue: [result] });
  } catch (cause) {
    throw new ServerMissingError(cause);
  }
};
