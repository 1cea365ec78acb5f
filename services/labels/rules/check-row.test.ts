import { expect, test } from 'vitest';
import { checkRow, type LabelRow } from './check-row.ts';

const EVM = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';
const SOLANA = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';

const row = (more: Partial<LabelRow>): LabelRow => ({
  where: 'line 1',
  chain: 'ethereum',
  address: EVM,
  name: 'Somebody',
  categories: [],
  source: 'test',
  creator: '',
  confidence: 0.5,
  evidence: '',
  assertedAt: null,
  ...more,
});
const refusalOf = (more: Partial<LabelRow>) => checkRow(row(more), 0).refusal?.code ?? null;
const labelOf = (more: Partial<LabelRow>) => checkRow(row(more), 1_763_000_000).label;

test.for([
  ['bad_checksum', { address: EVM.replace('d8dA', 'd8da') }],
  ['wrong_length', { address: EVM.slice(0, -1) }],
  ['wrong_length', { chain: 'solana', address: SOLANA.slice(0, -4) }],
  ['wrong_length', { chain: 'solana', address: 'A'.repeat(500) }],
  ['lower_cased', { chain: 'solana', address: SOLANA.toLowerCase() }],
  ['not_an_address', { address: 'vitalik.eth' }],
  ['not_an_address', { chain: 'solana', address: SOLANA.replace('E', '0') }],
  ['not_an_address', { chain: 'solana', address: EVM.toLowerCase() }],
  ['not_an_address', { chain: 'solana', address: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq' }],
  ['null_address', { address: `0x${'0'.repeat(40)}` }],
  ['vote_account', { chain: 'solana', address: SOLANA, name: 'Kraken Vote Account' }],
  ['chain_not_served', { chain: 'bitcoin', address: '134r8iHv69xdT6p5qVKTsHrcUEuBVZAYak' }],
  ['chain_not_served', { chain: 'USDT', address: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t' }],
  ['chain_not_served', { chain: '' }],
  ['chain_not_served', { chain: 'constructor' }],
  ['no_address', { address: ' ' }],
  ['no_name', { name: '' }],
] as const)('%s is refused: %o', ([code, more]) => {
  expect(refusalOf(more)).toBe(code);
});

test('one service has one entity, whatever its list calls it', () => {
  const entityOf = (entity: string) => labelOf({ categories: ['exchange'], entity })?.entity;
  expect(['huobi', 'htx', 'okex', 'mxc', 'somebody-new'].map(entityOf)).toEqual([
    'htx',
    'htx',
    'okx',
    'mexc',
    'somebody-new',
  ]);
});

test('addresses come out as tables hold them, chains by the name we have for them', () => {
  expect(labelOf({ chain: 'ERC20' })).toMatchObject({ chain: 'ethereum', address: EVM.toLowerCase() });
  expect(labelOf({ chain: 'Arbitrum One' })).toMatchObject({ chain: 'arbitrum' });
  expect(labelOf({ chain: '', address: SOLANA })).toMatchObject({ chain: 'solana', address: SOLANA });
  expect(labelOf({ chain: 'USDC', address: SOLANA })).toMatchObject({ chain: 'solana', address: SOLANA });
  expect(labelOf({})).toMatchObject({ assertedAt: 1_763_000_000, validFrom: null, validTo: null });
});

test.for([
  ['exchange', 'binance', { name: 'Binance 14' }],
  ['exchange', 'htx', { name: 'Huobi: Deposit', categories: ['exchange'] }],
  ['exchange', 'some-house', { name: 'Some House: Hot Wallet 3', categories: ['CEX'] }],
  ['mixer', 'tornado-cash', { name: 'Tornado.Cash: 100 ETH', categories: ['ofac-sanctions-lists'] }],
  ['bridge', 'hop-protocol', { name: 'Hop Protocol: ETH Bridge' }],
  ['dex', 'uniswap', { name: 'Uniswap V2: Router 2', categories: ['uniswap'] }],
  ['hack', '', { name: 'Fake_Phishing12', categories: ['phish-hack'] }],
  ['hack', '', { name: 'Binance Exploiter' }],
  ['contract', '', { name: 'Uniswap (UNI)', categories: ['uniswap'] }],
  ['sanctioned', '', { name: 'Lazarus Group', categories: ['OFAC'] }],
  ['other', '', { name: 'Vitalik' }],
] as const)('%s of %s is what lists mean by %o', ([kind, entity, more]) => {
  expect(labelOf({ ...more, categories: 'categories' in more ? more.categories : [] })).toMatchObject({
    kind,
    entity,
  });
});

test('nothing was said later than it is read in', () => {
  const at = 1_763_000_000;
  expect(labelOf({ assertedAt: at - 1 })).toMatchObject({ assertedAt: at - 1 });
  expect(labelOf({ assertedAt: at + 86_400 })).toMatchObject({ assertedAt: at });
});

test('no text of a row is longer than 200 characters, nor cut so that the log gives another one back', () => {
  const long = `${'x'.repeat(199)}😀${'y'.repeat(1_000_000)}`;
  const said = labelOf({ name: long, source: long, creator: long, entity: long, evidence: long });
  for (const text of [said?.name, said?.source, said?.creator, said?.entity, said?.evidence]) {
    expect(text).toHaveLength(200);
    expect(Buffer.from(text ?? '').toString()).toBe(text);
  }
});
