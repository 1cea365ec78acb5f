import { createClient } from '@clickhouse/client';
import { describe, expect, test } from 'vitest';
import type { Suite } from './suite.ts';

/** Exact values in, exact values out; errors, limits, streams. */
export function describeQuestions(suite: () => Suite): void {
  describe('questions', () => {
    test('any text comes back from a parameter as it was given', async () => {
      const texts = [
        '',
        "'",
        '\\',
        '\\\\n',
        '\t\r\n',
        '\0',
        '--',
        '/*',
        ';',
        '{x:String}',
        '☃ é \u{1f600}',
        '`"',
        'a\n\nb',
      ];
      const [answer] = await suite().rows(
        `SELECT {texts:Array(String)}, ${texts.map((_, i) => `{t${i}:String}`).join(', ')}`,
        { texts, ...Object.fromEntries(texts.map((value, i) => [`t${i}`, value])) },
      );
      expect(answer).toEqual([texts, ...texts]);
    });

    test('parameters of every type that amounts, times and lists need keep their exact value', async () => {
      const huge = 2n ** 256n - 1n;
      const [answer] = await suite().rows(
        `SELECT {huge:UInt256}, {big:UInt64}, {negative:Int64}, {none:Nullable(String)}, {flag:Bool},
           toUnixTimestamp({time:DateTime('UTC')}), {list:Array(UInt256)}, {pairs:Array(Tuple(String, UInt64))}`,
        {
          huge,
          big: 2n ** 64n - 1n,
          negative: -(2n ** 63n),
          none: null,
          flag: true,
          time: new Date(1_700_000_000_000),
          list: [1n, huge],
          pairs: [],
        },
      );
      expect(answer).toEqual([
        String(huge),
        String(2n ** 64n - 1n),
        String(-(2n ** 63n)),
        null,
        true,
        1_700_000_000,
        ['1', String(huge)],
        [],
      ]);
    });

    test('questions that run at the same time never see each other’s parameters', async () => {
      const answers = await Promise.all(
        Array.from({ length: 200 }, (_, i) =>
          suite().rows('SELECT {i:UInt32}, {text:String}', { i, text: `text ${i}` }),
        ),
      );
      expect(answers.map(([row]) => row)).toEqual(answers.map((_, i) => [i, `text ${i}`]));
    });

    test('a list of parameters that is too long for a URL is answered', async () => {
      const wallets = Array.from({ length: 5_000 }, (_, i) => `wallet-${i}-${'x'.repeat(32)}`);
      expect(
        await suite().rows('SELECT length({wallets:Array(String)}), {wallets:Array(String)}[5000]', {
          wallets,
        }),
      ).toEqual([['5000', wallets[4_999]]]);
    });

    test('a list of two megabytes is taken whole', async () => {
      const wallets = Array.from({ length: 40_000 }, (_, i) => `wallet-${i}-${'x'.repeat(32)}`);
      expect(
        await suite().rows(
          'SELECT uniqExact(wallet) FROM (SELECT arrayJoin({wallets:Array(String)}) AS wallet)',
          {
            wallets,
          },
        ),
      ).toEqual([['40000']]);
    });

    test('numbers of 64 bits and more come as text, so that none is rounded', async () => {
      expect(await suite().rows('SELECT toUInt64(9007199254740993), toUInt256(1)')).toEqual([
        ['9007199254740993', '1'],
      ]);
    });

    test('a result of many rows streams completely and in order', async () => {
      const answer = await suite().reader.query({
        query: 'SELECT number FROM numbers(1000000)',
        format: 'JSONCompactEachRow',
      });
      let next = 0;
      for await (const batch of answer.stream<[string]>()) {
        for (const row of batch) {
          if (Number(row.json()[0]) !== next) throw new Error(`row ${next} is ${row.text}`);
          next += 1;
        }
      }
      expect(next).toBe(1_000_000);
    });

    test('an error after the first rows of a stream reaches the reader', async () => {
      const answer = await suite().reader.query({
        query: 'SELECT number, throwIf(number = 900000) FROM numbers(1000000)',
        format: 'JSONCompactEachRow',
      });
      const readAll = async () => {
        for await (const _ of answer.stream());
      };
      await expect(readAll()).rejects.toMatchObject({ code: '395' });
    });

    test('the result of a compressed question is the same', async () => {
      const url = new URL(suite().started.url);
      const zipped = createClient({
        url,
        database: suite().started.warehouse.database,
        compression: { response: true, request: true },
        http_headers: suite().started.writerHeaders,
        set_basic_auth_header: false,
      });
      try {
        await zipped.command({ query: 'CREATE TABLE zipped (a UInt32) ENGINE = Memory' });
        const values = Array.from({ length: 10_000 }, (_, a) => ({ a }));
        await zipped.insert({ table: 'zipped', values, format: 'JSONEachRow' });
        const answer = await zipped.query({
          query: 'SELECT a FROM zipped ORDER BY a',
          format: 'JSONEachRow',
        });
        expect(await answer.json()).toEqual(values);
      } finally {
        await zipped.close();
      }
    });

    test('an error has the engine’s code and name', async () => {
      await expect(suite().rows('SELECT no_such_column FROM numbers(1)')).rejects.toMatchObject({
        code: '47',
        type: 'UNKNOWN_IDENTIFIER',
      });
      await expect(suite().rows('SELECT * FROM no_such_table')).rejects.toMatchObject({
        code: '60',
        type: 'UNKNOWN_TABLE',
      });
      await expect(suite().rows('SELECT {x:UInt8}', { x: 'many' })).rejects.toMatchObject({ code: '457' });
      await expect(suite().rows('SELECT {x:UInt8}')).rejects.toMatchObject({ code: '456' });
      await expect(suite().rows('SELEC 1')).rejects.toMatchObject({ code: '62' });
    });

    test('wrong credentials are refused', async () => {
      const { writerHeaders, readerHeaders, analystHeaders } = suite().started;
      for (const known of [writerHeaders, readerHeaders, analystHeaders, { 'x-clickhouse-user': 'writer' }]) {
        const headers = { ...known, 'x-clickhouse-key': 'guess' };
        const answer = await suite().post(headers, 'SELECT 1', '');
        expect(answer.status).toBeGreaterThanOrEqual(401);
        expect(answer.status).toBeLessThanOrEqual(403);
        expect(answer.headers.get('x-clickhouse-exception-code')).toBe('516');
      }
    });

    test('a question that takes too long is ended with error 159', async () => {
      const slow = suite().reader.query({
        query: 'SELECT max(sipHash64(number)) FROM numbers(1000000000000)',
        clickhouse_settings: { max_execution_time: 1 },
      });
      await expect(slow).rejects.toMatchObject({ code: '159' });
    });

    test('a question whose asker went away stops working', async () => {
      const leave = new AbortController();
      const asked = suite().reader.query({
        query: "SELECT max(sipHash64(number, 'left alone')) FROM numbers(1000000000000)",
        abort_signal: leave.signal,
        clickhouse_settings: { cancel_http_readonly_queries_on_client_close: 1 },
      });
      const running = async () => {
        const answer = await suite().writer.query({
          query:
            "SELECT count() FROM system.processes WHERE query LIKE '%left alone%' AND query NOT LIKE '%processes%'",
          format: 'JSONCompactEachRow',
        });
        return Number((await answer.json<[string]>())[0]?.[0]);
      };
      await expect.poll(running, { timeout: 20_000 }).toBe(1);
      leave.abort();
      await expect(asked).rejects.toThrow();
      await expect.poll(running, { timeout: 20_000 }).toBe(0);
    });
  });
}
