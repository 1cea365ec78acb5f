import pino, { type DestinationStream } from 'pino';
import pretty from 'pino-pretty';
import type { LogLevel } from './config/config.ts';
import { maskUrls } from './mask-urls.ts';

/** Named here so that no other module names the vendor. */
export type Logger = pino.Logger;

/** Fields that are never written, up to two objects deep. */
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

/** Lines for a person on a terminal, JSON lines for programs. Both are written at once. */
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
 * Writes to stderr: stdout belongs to results. Secrets are taken out by field name, and out of every
 * URL in the line, wherever it comes from (messages and stacks of errors included).
 */
export const createLogger = (options: {
  level: LogLevel;
  /** Where lines go instead of stderr. */
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
