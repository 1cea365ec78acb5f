import { expect, test } from 'vitest';
import { type RawParts, readRealParts } from '../../../testing/evm/real-evm-blocks.ts';
import { ALICE, BOB, CAROL, hash, TOKEN, transfer, word } from '../../../testing/evm/small-evm-block.ts';
import { describeWithSharedData } from '../../../testing/shared-data.ts';
import { decodeEvmBlock } from '../decode-evm-block.ts';
import { bloomOf } from '../roots/bloom.ts';

const told = ({ problems }: ReturnType<typeof decodeEvmBlock>): string[] =>
  problems.map(({ code, txIndex }) => `${code} ${txIndex}`);
const one = { ...transfer(ALICE, CAROL, 3), logIndex: '0x0' };
const bloom = (...logs: unknown[]): string => `0x${Buffer.from(bloomOf(logs)).toString('hex')}`;

type Real = { block: Record<string, unknown>; receipts: Record<string, unknown>[]; traces: unknown };

describeWithSharedData('real blocks with one thing changed', () => {
  const read = (number: string): Real =>
    structuredClone(readRealParts({ chain: 'ethereum', number })) as Real;
  const decodeReal = (parts: RawParts, chain = 'ethereum') => decodeEvmBlock({ chain, ...parts });
  const logsAt = ({ receipts }: Real, at: number) => receipts[at]?.logs as Record<string, unknown>[];
  const first = (real: Real): number => real.receipts.findIndex(({ logs }) => (logs as unknown[]).length > 1);

  test.each<[string, (real: Real) => void]>([
    [
      'the amount of a log',
      (real) => Object.assign(logsAt(real, first(real))[0] ?? {}, { data: word('0x7') }),
    ],
    [
      'the contract of a log',
      (real) => Object.assign(logsAt(real, first(real))[0] ?? {}, { address: TOKEN }),
    ],
    ['two logs exchanged', (real) => logsAt(real, first(real)).reverse()],
    ['a log left out', (real) => logsAt(real, first(real)).pop()],
    [
      'a log added',
      (real) => logsAt(real, first(real)).push({ ...transfer(ALICE, BOB, 9), logIndex: '0x0' }),
    ],
    ['a status', (real) => Object.assign(real.receipts[1] ?? {}, { status: '0x0' })],
    ['the root', ({ block }) => Object.assign(block, { receiptsRoot: hash(9) })],
    ['a filter', (real) => Object.assign(real.receipts[first(real)] ?? {}, { logsBloom: bloom() })],
    ['a filter that is none', (real) => Object.assign(real.receipts[0] ?? {}, { logsBloom: '0x00' })],
  ])('%s: the receipts contradict the header', (_, change) => {
    const real = read('18000000');
    change(real);
    expect(told(decodeReal(real))).toContain('receipts_contradict null');
    // Of a chain whose tries are not known the root alone says nothing.
    expect(told(decodeReal(real, 'constructor'))).not.toContain('transactions_contradict null');
  });

  const change = (number: string, position: number, fields: Record<string, unknown>): Real => {
    const real = read(number);
    const transactions = real.block.transactions as Record<string, unknown>[];
    Object.assign(transactions[position] ?? {}, fields);
    return real;
  };
  const paying = (number: string, type: string): number =>
    (read(number).block.transactions as Record<string, unknown>[]).findIndex(
      (tx) => tx.type === type && tx.value !== '0x0',
    );

  test.each([
    ['value', '0x7'],
    ['to', TOKEN],
    ['input', '0xabcd'],
    ['nonce', '0x1'],
    ['r', '0x1'],
    ['gas', '0xfffffff'],
    ['maxFeePerGas', '0xfffffffffff'],
  ])('another %s of a transaction contradicts its hash and the header, traced or not', (field, value) => {
    for (const number of ['17000000', '18000000']) {
      const at = paying(number, '0x2');
      expect(told(decodeReal(change(number, at, { [field]: value })))).toEqual(
        expect.arrayContaining(['transactions_contradict null', `transactions_contradict ${at}`]),
      );
    }
  });

  test('another hash of a transaction is told, also where receipts and traces repeat it', () => {
    const text = JSON.stringify(read('17000000'));
    const transactions = read('17000000').block.transactions as { hash: string }[];
    const renamed = JSON.parse(text.replaceAll(transactions[3]?.hash ?? '', hash(9))) as Real;
    expect(told(decodeReal(renamed))).toEqual(['transactions_contradict 3']);
  });

  test('two transactions exchanged with their receipts contradict the header', () => {
    const real = read('17000000');
    for (const list of [real.block.transactions as unknown[], real.receipts]) list.push(list.shift());
    expect(told(decodeReal(real))).toContain('transactions_contradict null');
  });

  test.each([
    ['miner', BOB],
    ['baseFeePerGas', '0x7'],
    ['timestamp', '0x66000000'],
    ['gasLimit', '0x1'],
    ['hash', hash(9)],
    ['parentHash', hash(9)],
  ])('another %s of a header contradicts its hash', (field, value) => {
    const text = JSON.stringify(read('17300000'));
    const { block } = read('17300000');
    const renamed = field === 'hash' ? text.replaceAll(String(block.hash), value) : text;
    const real = JSON.parse(renamed) as Real;
    Object.assign(real.block, { [field]: value });
    expect(told(decodeReal(real))).toContain('header_contradicts null');
  });

  test.each([
    ['amount', (all: Record<string, unknown>[]) => Object.assign(all[3] ?? {}, { amount: '0x7' })],
    ['recipient', (all: Record<string, unknown>[]) => Object.assign(all[3] ?? {}, { address: BOB })],
    ['absence', (all: Record<string, unknown>[]) => all.pop()],
    ['whole absence', (all: Record<string, unknown>[]) => all.splice(0)],
  ])('another %s of a withdrawal contradicts the header', (_, change) => {
    const real = read('17300000');
    change(real.block.withdrawals as Record<string, unknown>[]);
    expect(told(decodeReal(real))).toEqual(['header_contradicts null']);
  });

  test('uncles that the header does not name are told', () => {
    const real = read('8000000');
    expect(told(decodeReal(real))).not.toContain('header_contradicts null');
    const listed = real.block.uncles as string[];
    if (listed.length === 0) Object.assign(real.block, { sha3Uncles: hash(9) });
    else listed.splice(0);
    expect(told(decodeReal(real))).toContain('header_contradicts null');
  });

  test('a header of Polygon may name its signer as miner, and nothing else otherwise', () => {
    const decodePolygon = (fields: Record<string, unknown>) => {
      const real = readRealParts({ chain: 'polygon', number: '50000000' });
      Object.assign(real.block as object, fields);
      return told(decodeEvmBlock({ chain: 'polygon', ...real }));
    };
    expect(decodePolygon({ miner: BOB })).not.toContain('header_contradicts null');
    expect(decodePolygon({ gasLimit: '0x1' })).toContain('header_contradicts null');
  });

  test('a header that lacks a field of an earlier fork is not compared', () => {
    const real = read('17300000');
    Object.assign(real.block, { baseFeePerGas: null, miner: BOB });
    expect(told(decodeReal(real))).not.toContain('header_contradicts null');
  });

  test('a header with a field of a later fork is not compared: its form is not known', () => {
    const real = read('17300000');
    Object.assign(real.block, { miner: BOB, fieldOfTomorrow: hash(9) });
    expect(told(decodeReal(real))).not.toContain('header_contradicts null');
  });

  test('logs told twice, or of elsewhere, are left out where the header proves it, and what a log says otherwise is not believed', () => {
    const whole = decodeReal(read('18000000'));
    const check = (change: (real: Real) => void, codes: string[]): void => {
      const real = read('18000000');
      change(real);
      const decoded = decodeReal(real);
      expect(decoded.movements).toEqual(whole.movements);
      expect(told(decoded).map((code) => code.split(' ')[0])).toEqual(codes);
    };
    check(
      (real) => logsAt(real, first(real)).unshift(...structuredClone(logsAt(real, first(real)))),
      ['logs_contradict'],
    );
    check(
      (real) => {
        const logs = logsAt(real, first(real));
        logs.push(...structuredClone(logs).map((log) => ({ ...log, logIndex: '0xfff' })));
      },
      ['logs_contradict'],
    );
    check(
      (real) => logsAt(real, first(real)).push({ ...one, transactionHash: hash(9) }),
      ['logs_contradict'],
    );
    check((real) => Object.assign(logsAt(real, first(real))[0] ?? {}, { removed: true }), []);
    check(
      (real) => {
        for (const receipt of real.receipts) receipt.cumulativeGasUsed = receipt.gasUsed;
      },
      ['gas_contradicts'],
    );
  });

  test('old receipts that tell how they ended, instead of the state behind them, contradict nothing', () => {
    const real = read('4000000');
    for (const receipt of real.receipts) Object.assign(receipt, { status: '0x1', root: undefined });
    expect(told(decodeReal(real))).not.toContain('receipts_contradict null');
    const state = read('4000000');
    Object.assign(state.receipts[0] ?? {}, { root: hash(7) });
    expect(told(decodeReal(state))).toContain('receipts_contradict null');
  });

  test('what receipts used is what they add to the gas before them, where the header proves that', () => {
    const whole = decodeReal(read('18000000'));
    const real = read('18000000');
    for (const receipt of real.receipts) receipt.gasUsed = receipt.cumulativeGasUsed;
    const decoded = decodeReal(real);
    expect(decoded.movements).toEqual(whole.movements);
    expect(new Set(decoded.problems.map(({ code }) => code))).toEqual(new Set(['gas_contradicts']));
    expect(decoded.problems).toHaveLength(real.receipts.length - 1);
  });
});
