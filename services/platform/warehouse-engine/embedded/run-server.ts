import { messageOf } from '../../message-of.ts';

/** The library contains no server that can be started, or does not support this machine. */
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

/** Creates a named pipe, which Node cannot. Throws `ServerMissingError`. */
export const makePipe = async (path: string): Promise<void> => {
  try {
    const { DataType, load, open } = await import('ffi-rs');
    // An empty path opens this process itself, and thereby its C library.
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
 * Runs `clickhouse local` inside this process. Resolves when it ends, with any error before its first query;
 * later errors are printed. chDB's library exports this entry point without promising it, so its version is
 * pinned. Throws `ServerMissingError`.
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
      // In its own thread, because the call returns only when the server ends.
      runInNewThread: true,
    });
    const problem = { library: LIBRARY, funcName: 'chdb_result_error', paramsType: [DataType.External] };
    // Without an error the text is a null pointer, which cannot be read as one.
    if (!load({ ...problem, retType: DataType.U64, paramsValue: [result] })) return null;
    return load({ ...problem, retType: DataType.String, paramsValue: [result] });
  } catch (cause) {
    throw new ServerMissingError(cause);
  }
};
