import { expect, test } from 'vitest';
import { parseX402 } from './x402.ts';

const BASE = 'eip155:8453';
const SOLANA = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
const BASE_SEPOLIA = 'eip155:84532';
const SOLANA_DEVNET = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1';
const WALLET = `0x${'a'.repeat(40)}`;
const OWNER = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin';
const GOOD = {
  X402_FACILITATOR_URL: 'https://facilitator.example',
  X402_PAY_TO: `${BASE}=${WALLET}, ${SOLANA}=${OWNER}`,
  X402_RPC_URLS: `${BASE}=https://base.example/?a=1,b=2,${SOLANA}=https://solana.example`,
};
const parse = (given: Partial<typeof GOOD>) => parseX402((name) => given[name]);

test('receivers and nodes are read network by network; without any of the variables no payments are taken', () => {
  expect(parse(GOOD)).toEqual({
    x402: {
      facilitatorUrl: 'https://facilitator.example',
      networks: [
        { network: BASE, payTo: WALLET, rpcUrl: 'https://base.example/?a=1,b=2' },
        { network: SOLANA, payTo: OWNER, rpcUrl: 'https://solana.example' },
      ],
    },
    problems: [],
  });
  expect(parse({})).toEqual({ x402: null, problems: [] });
});

test('payments can be tried on test networks', () => {
  const { x402 } = parse({
    ...GOOD,
    X402_PAY_TO: `${BASE_SEPOLIA}=${WALLET},${SOLANA_DEVNET}=${OWNER}`,
    X402_RPC_URLS: `${BASE_SEPOLIA}=https://a.example,${SOLANA_DEVNET}=https://b.example`,
  });
  expect(x402?.networks.map(({ network }) => network)).toEqual([BASE_SEPOLIA, SOLANA_DEVNET]);
});

test.each([
  [{ ...GOOD, X402_FACILITATOR_URL: 'ftp://x' }, 'X402_FACILITATOR_URL'],
  [{ ...GOOD, X402_FACILITATOR_URL: 'https://user:secret@facilitator.example' }, 'X402_FACILITATOR_URL'],
  [{ X402_PAY_TO: GOOD.X402_PAY_TO, X402_RPC_URLS: GOOD.X402_RPC_URLS }, 'X402_FACILITATOR_URL'],
  [{ ...GOOD, X402_PAY_TO: `${BASE}=${OWNER}` }, 'X402_PAY_TO'],
  [{ ...GOOD, X402_PAY_TO: `eip155:1=${WALLET}` }, 'X402_PAY_TO'],
  [{ ...GOOD, X402_PAY_TO: 'toString=1' }, 'X402_PAY_TO'],
  [{ ...GOOD, X402_PAY_TO: `${BASE_SEPOLIA}=${OWNER}` }, 'X402_PAY_TO'],
  // Test money must not buy what real money buys.
  [
    {
      ...GOOD,
      X402_PAY_TO: `${GOOD.X402_PAY_TO},${BASE_SEPOLIA}=${WALLET}`,
      X402_RPC_URLS: `${GOOD.X402_RPC_URLS},${BASE_SEPOLIA}=https://test.example`,
    },
    'X402_PAY_TO',
  ],
  [{ ...GOOD, X402_PAY_TO: `${BASE}=${WALLET},${BASE}=${WALLET}` }, 'X402_PAY_TO'],
  [{ ...GOOD, X402_RPC_URLS: `${BASE}=https://base.example` }, 'X402_RPC_URLS'],
  [{ ...GOOD, X402_RPC_URLS: `${GOOD.X402_RPC_URLS},${BASE}=https://second.example` }, 'X402_RPC_URLS'],
  [{ ...GOOD, X402_RPC_URLS: GOOD.X402_RPC_URLS.replace('//base', '//u:p%zz@base') }, 'X402_RPC_URLS'],
])('%o is a problem of %s, and no value of it is repeated', (given, variable) => {
  const { x402, problems } = parse(given);
  expect(x402).toBeNull();
  expect(problems.map((problem) => problem.variable)).toContain(variable);
  expect(JSON.stringify(problems)).not.toContain('example');
});
