import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { createShutdown, type ShutdownStep } from './shutdown.ts';

const createStage = () => {
  const signals = new EventEmitter();
  const done: string[] = [];
  const exits: number[] = [];
  const errors: object[] = [];
  const { promise: exited, resolve } = Promise.withResolvers<void>();
  const shutdown = createShutdown({
    logger: { info: () => {}, error: (fields) => errors.push(fields) },
    host: {
      on: (signal, listener) => signals.on(signal, () => listener(signal)),
      exit: (code) => {
        exits.push(code);
        resolve();
      },
    },
  });
  const step = (name: string, order: number, run?: () => Promise<void>): ShutdownStep => ({
    name,
    order,
    timeoutMs: 10_000,
    run: async () => {
      done.push(`${name} begins`);
      await (run ?? (() => new Promise((ready) => setImmediate(ready))))();
      done.push(`${name} ends`);
    },
  });
  return { shutdown, signals, done, exits, errors, exited, step };
};

test('steps run by their order, each after the one before has ended, whatever order they were registered in', async () => {
  const { shutdown, done, step } = createStage();
  shutdown.register(step('engines', 3));
  shutdown.register(step('intake', 1));
  shutdown.register(step('work', 2));
  expect(await shutdown.run('test')).toEqual([]);
  expect(done).toEqual(['intake', 'work', 'engines'].flatMap((name) => [`${name} begins`, `${name} ends`]));
});

test('steps of the same order run at the same time', async () => {
  const { shutdown, done, step } = createStage();
  shutdown.register(step('a', 1));
  shutdown.register(step('b', 1));
  await shutdown.run('test');
  expect(done.slice(0, 2)).toEqual(['a begins', 'b begins']);
});

test('a step that fails, throws at once or hangs does not keep the next ones from running, and is named', async () => {
  const { shutdown, done, errors, step } = createStage();
  shutdown.register(step('fails', 1, () => Promise.reject(new Error('no'))));
  shutdown.register({
    name: 'throws',
    order: 2,
    timeoutMs: 10_000,
    run: () => {
      throw new Error('at once');
    },
  });
  shutdown.register({ ...step('hangs', 3, () => new Promise(() => {})), timeoutMs: 20 });
  shutdown.register(step('last', 4));
  expect(await shutdown.run('test')).toEqual(['fails', 'throws', 'hangs']);
  expect(done.at(-1)).toBe('last ends');
  expect(errors).toEqual([
    { step: 'fails', problem: 'no' },
    { step: 'throws', problem: 'at once' },
    { step: 'hangs', problem: 'not done after 20 ms' },
  ]);
});

test.each(['SIGTERM', 'SIGINT'])('%s runs the steps and exits with 0', async (signal) => {
  const { shutdown, signals, done, exits, exited, step } = createStage();
  shutdown.register(step('work', 1));
  expect(shutdown.isClosing()).toBe(false);
  signals.emit(signal);
  expect(shutdown.isClosing()).toBe(true);
  await exited;
  expect(done).toEqual(['work begins', 'work ends']);
  expect(exits).toEqual([0]);
});

test('the exit code says when a step failed', async () => {
  const { shutdown, signals, exits, exited, step } = createStage();
  shutdown.register(step('fails', 1, () => Promise.reject(new Error('no'))));
  signals.emit('SIGTERM');
  await exited;
  expect(exits).toEqual([1]);
});

test('a second signal exits at once', async () => {
  const { shutdown, signals, done, exits, step } = createStage();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  shutdown.register(step('slow', 1, () => released));
  signals.emit('SIGTERM');
  expect(exits).toEqual([]);
  signals.emit('SIGINT');
  expect(exits).toEqual([130]);
  release();
  await shutdown.run('test');
  expect(done.filter((line) => line === 'slow begins')).toHaveLength(1);
});

test('closing happens once, however often it is asked for', async () => {
  const { shutdown, done, step } = createStage();
  shutdown.register(step('work', 1));
  await Promise.all([shutdown.run('a'), shutdown.run('b')]);
  await shutdown.run('c');
  expect(done).toEqual(['work begins', 'work ends']);
});

test('what is registered while the process closes would never be closed, and is refused', async () => {
  const { shutdown, step } = createStage();
  await shutdown.run('test');
  expect(() => shutdown.register(step('late', 1))).toThrow('late comes too late');
});
