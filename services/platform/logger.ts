import pino, { type DestinationStream } from 'pino';
import pretty from 'pino-pretty';
import type { LogLevel } from './config/config.ts';
import { maskUrls } from './mask-urls.ts';

/** Exported from here so that no other module names the vendor. */
export type Logger = pino.Logger;

/** Fields that are never logged, up to two objects deep. */
const SECRET_FIELDS = [
  'apiKey',
  'authorization',
  'cookie',
  'key_secret',
  'mnemonic',
  'password',
  'passphrase',
  'privateKey',
  'secret',
  'seedPhrase',
  'token',
];
const paths = SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]);

/** Fields that repeat the message. */
const IN_WORDS = ['pid', 'ingested'];

/** Text lines for a terminal, JSON lines for programs. Both are written synchronously. */
const stderrLines = (): DestinationStream =>
  process.stderr.isTTY
    ? pretty({
        destination: 2,
        sync: true,
        singleLine: true,
        ignore: IN_WORDS.join(),
        translateTime: 'SYS:HH:MM:ss',
      })
    : pino.destination({ fd: 2, sync: true });

/**
 * Logs to stderr, because stdout is for results. Secrets are removed by field name, and from every URL in the
 * line, including error messages and stacks.
 */
export const createLogger = (options: {
  level: LogLevel;
  /** Where to write instead of stderr. */
  destination?: DestinationStream;
}): Logger =>
  pino(
    {
      level: options.level,
      redact: { paths, censor: '***' },
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: pino.stdSerializers.errWithCause },
      hooks: { streamWrite: maskUrls },
    },
    options.destination ?? stderrLines(),
  );
