import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyText } from '../../testing/any-text.ts';
import { guessChainFamily, parseAddress, presentAddress } from './address.ts';
import { decodeBase58 } from './base58.ts';
import { CHAINS, type Chain, findChain } from './chain.ts';
import { KNOWN_ASSETS } from './known-assets.ts';

const chain = (name: string): Chain => {
  const found = findChain(name);
  if (found === null) throw new Error(`no chain ${name}`);
  return found;
};
const ethereum = chain('ethereum');
const solana = chain('solana');

// The examples of the EIP itself: https://eips.ethereum.org/EIPS/eip-55
const EIP_55 = [
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
  '0xde709f2102306220921060314715629080e2fb77',
  '0x27b1fdb04752bbc536007a920d24acb045561c26',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
];

test.each(EIP_55)('%s is taken in any single case and presented with its checksum', (text) => {
  for (const written of [text, text.toLowerCase(), `0x${text.slice(2).toUpperCase()}`]) {
    const result = parseAddress(ethereum, written);
    expect(result).toEqual({ ok: true, address: text.toLowerCase() });
  }
  expect(presentAddress(ethereum, text.toLowerCase())).toBe(text);
});

test('one letter in the wrong case fails the checksum', () => {
  expect(parseAddress(ethereum, '0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed')).toMatchObject({ ok: false });
});

test.each([
  '',
  '0x',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed0',
  '5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0X5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeg',
  ' 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed\n',
])('%j is refused on an EVM chain', (text) => {
  expect(parseAddress(ethereum, text)).toMatchObject({ ok: false });
});

test.each([
  '11111111111111111111111111111111',
  'So11111111111111111111111111111111111111112',
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
])('%s is a Solana address', (text) => {
  expect(parseAddress(solana, text)).toEqual({ ok: true, address: text });
});

test.each([
  '',
  '1111111111111111111111111111111',
  '111111111111111111111111111111111',
  'So1111111111111111111111111111111111111111O',
  'tokenkegqfezyinwajbngkpfxcwubvf9ss623vq5da!',
  'zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz',
  '1'.repeat(60_000),
])('%j is refused on Solana', (text) => {
  expect(parseAddress(solana, text)).toMatchObject({ ok: false });
});

test('any text is either refused or comes back as it is presented, and never throws', () => {
  fc.assert(
    fc.property(fc.constantFrom(...CHAINS), anyText({ maxLength: 60 }), (on, text) => {
      const result = parseAddress(on, text);
      if (result.ok) {
        const presented = presentAddress(on, result.address);
        expect(parseAddress(on, presented)).toEqual(result);
      }
    }),
  );
});

test('any twenty bytes make an address whose presented form passes its own checksum', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 20, maxLength: 20 }), (bytes) => {
      const address = `0x${Buffer.from(bytes).toString('hex')}`;
      expect(parseAddress(ethereum, presentAddress(ethereum, address))).toEqual({ ok: true, address });
    }),
  );
});

test('base58 counts leading ones as zero bytes', () => {
  expect(decodeBase58('')).toHaveLength(0);
  expect(decodeBase58('1')).toHaveLength(1);
  expect(decodeBase58('5Q')).toHaveLength(1);
  expect(decodeBase58('5R')).toHaveLength(2);
  expect(decodeBase58('15R')).toHaveLength(3);
  expect(decodeBase58('l')).toBeNull();
});

test('every known asset and wrapped coin is an address of its chain in the form tables hold, named once', () => {
  const seen = new Set<string>();
  const listed = [
    ...KNOWN_ASSETS.map(({ chain: name, asset }) => ({ name, asset })),
    ...CHAINS.map(({ name, wrappedNative }) => ({ name, asset: wrappedNative })),
  ];
  for (const { name, asset } of listed) {
    expect(parseAddress(chain(name), asset)).toEqual({ ok: true, address: asset });
    expect(seen.has(`${name}:${asset}`)).toBe(false);
    seen.add(`${name}:${asset}`);
  }
});

test('the form alone tells the family', () => {
  expect(guessChainFamily('0xabc')).toBe('evm');
  expect(guessChainFamily('So11111111111111111111111111111111111111112')).toBe('solana');
});
