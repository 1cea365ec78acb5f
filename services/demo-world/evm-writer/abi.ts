import { hashLabel } from '../random.ts';

/** Contract, selector and topic constants of the real chain. */
export const WETH = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2';
export const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
export const APPROVAL_TOPIC = '0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925';
export const DEPOSIT_TOPIC = '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c';
export const WITHDRAWAL_TOPIC = '0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65';
export const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000';

const SELECTORS: Readonly<Record<string, string>> = {
  transfer: 'a9059cbb',
  transferFrom: '23b872dd',
  approve: '095ea7b3',
  mint: '40c10f19',
  burn: '42966c68',
  permit: 'd505accf',
  transferOwnership: 'f2fde38b',
  upgradeTo: '3659cfe6',
  blacklist: 'f9f92be4',
  unBlacklist: '1a895266',
  wrap: 'd0e30db0',
  unwrap: '2e1a7d4d',
};

export const quantity = (value: bigint | number): string => `0x${value.toString(16)}`;
export const word = (value: bigint | number): string => value.toString(16).padStart(64, '0');
export const addressWord = (address: string): string => address.slice(2).padStart(64, '0');
export const addressTopic = (address: string): string => `0x${addressWord(address)}`;

/** A known method's selector, else four bytes derived from its name. */
const selectorOf = (method: string): string =>
  SELECTORS[method] ?? hashLabel(method).toString(16).padStart(8, '0');

export const encodeCall = (method: string, ...words: readonly string[]): string =>
  `0x${selectorOf(method)}${words.join('')}`;
