import { encodeAbiParameters, type Hex, parseAbiParameters } from 'viem';
import { expect } from 'vitest';
import { decode } from './small-evm-block.ts';

// viem tells the values' types from the text of a literal, and this is none.
export const data = (types: string, values: readonly unknown[]): Hex =>
  encodeAbiParameters(parseAbiParameters(types), values as never);

/** What one transaction of these logs tells. */
export const told = (logs: readonly Record<string, unknown>[], chain = 'ethereum') =>
  decode([{ receipt: { logs } }], { chain });

export const onlyOf = (logs: readonly Record<string, unknown>[], chain?: string) => {
  const { bridgeTransfers, problems } = told(logs, chain);
  expect(problems).toEqual([]);
  expect(bridgeTransfers).toHaveLength(1);
  return bridgeTransfers[0];
};
