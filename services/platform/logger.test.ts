import { expect, test } from 'vitest';
import { createLogger } from './logger.ts';

const capture = () => {
  const lines: string[] = [];
  const logger = createLogger({ level: 'info', destination: { write: (line) => lines.push(line) } });
  return { logger, lines, last: () => JSON.parse(lines.at(-1) ?? '') as Record<string, unknown> };
};

test('a line is one JSON object with level, time and message', () => {
  const { logger, last } = capture();
  logger.info({ chain: 'solana' }, 'block ingested');
  expect(last()).toMatchObject({ level: 30, chain: 'solana', msg: 'block ingested', pid: process.pid });
  expect(Date.parse(String(last().time))).not.toBeNaN();
});

test('lines below the level are not written', () => {
  const { logger, lines } = capture();
  logger.debug('not this');
  expect(lines).toEqual([]);
});

test('secret fields are not written, at the top or inside', () => {
  const { logger, lines } = capture();
  logger.warn({ password: 'hunter2', request: { headers: { authorization: 'hunter2' } } }, 'refused');
  logger.child({ token: 'hunter2' }).warn('refused');
  expect(lines.join('')).not.toContain('hunter2');
  expect(lines.join('').match(/\*\*\*/g)).toHaveLength(3);
});

test('credentials of URLs are taken out of messages, fields, errors and their causes, and the line stays JSON', () => {
  const { logger, lines, last } = capture();
  const url = 'https://me:hunter2@rpc.example/v1/0123456789abcdef01?key=hunter3';
  const cause = new Error(`connect ${url}`);
  logger.error({ err: new Error(`fetch "${url}" failed`, { cause }), url }, `cannot reach ${url}`);
  expect(lines.join('')).not.toMatch(/hunter|0123456789abcdef/);
  expect(last().url).toBe('https://***@rpc.example/v1/***?key=***');
});
