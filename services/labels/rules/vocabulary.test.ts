import { expect, test } from 'vitest';
import { kindOf } from './vocabulary.ts';

const kind = (name: string, ...categories: string[]): string => kindOf({ name, categories });

test('whom an alert warns is no hacker, and is not the service whose alert it is', () => {
  for (const name of ['Multichain Hack Alert 12', 'Alder: Exploit Alert 2', 'Upbit Hack Victim 3'])
    expect(kind(name, 'take-action'), name).toBe('other');
});

test("a token's name is the name of a token, whatever it is called after", () => {
  expect(kind('Scam Alder (SALD)', 'governance')).toBe('contract');
  expect(kind('Alder (SDN)', 'bridged-token')).toBe('contract');
  expect(kind('ponzi.alder (ponzi)')).toBe('contract');
  expect(kind('Alder Network Token')).toBe('contract');
  expect(kind('Alder Impostor (ALD)', 'phishing')).toBe('hack');
  expect(kind('Alder 3 (Scam)')).toBe('hack');
});

test('what issuers block is a thief only where it is not the contract of a token, or an address that burns', () => {
  expect(kind('Alder 3', 'blocked')).toBe('hack');
  expect(kind('Alder: ALD Token', 'blocked')).toBe('contract');
  expect(kind('Alder: ALD Stablecoin', 'blocked', 'stablecoin')).toBe('contract');
  expect(kind('Null Address', 'blocked', 'burn')).toBe('other');
});

test.for([
  ['hack', 'Upbit Hacker 3.1: Deposit 2'],
  ['hack', 'Alder: Phishing 3'],
  ['hack', 'Scam: Alder Token 1'],
  ['hack', 'Fake_Phishing12'],
  ['hack', 'FAKE: Alder Crowdsale'],
  ['hack', 'Compromised: Alder Hack Funds'],
  ['hack', 'Hack of the Alder Bridge'],
  ['hack', 'Uniswap Exploiter 0x12ab'],
  ['mixer', 'Alder Mixer 4: Router'],
  ['mixer', 'Alder CoinJoin'],
  ['sanctioned', 'Asset listed under US Treasury OFAC Sanctions List'],
  ['sanctioned', 'OFAC SDN: 0x308...370'],
  ['sanctioned', 'Alder (sanctioned by OFAC)'],
  ['other', 'Alder: Fraud Verifier'],
  ['other', 'Refund of the Alder Hack'],
  ['other', 'Alder Phishing Protection'],
  ['other', 'Alder: Asset Blacklist'],
  ['other', 'Alder: CoinJoin'],
  ['other', 'Alder: Sanctions List'],
  ['dex', 'SushiSwap: FAKE'],
  ['dex', 'Uniswap V2: SCAM'],
] as const)(
  'a word that accuses counts where it stands for the party: %s is what %s says',
  ([said, name]) => {
    expect(kind(name)).toBe(said);
  },
);

test('a category says a service only where it goes on with something that is its own', () => {
  expect(kind('', 'binance-deposit')).toBe('exchange');
  expect(kind('', '0x-protocol')).toBe('dex');
  expect(kind('', 'balancer-vested-shareholders')).toBe('other');
  expect(kind('', '0x-protocol-ecosystem')).toBe('other');
});
