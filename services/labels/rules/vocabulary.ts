import type { LabelKind } from '../../investigate/model/label.ts';
import { isTokenName, isWarning, toldByName } from './telling-name.ts';
import { spaced } from './words.ts';

type Named = { readonly entity: string; readonly words: readonly string[] };
const named = (entity: string, ...words: string[]): Named => ({ entity, words: [entity, ...words] });

/** Services by the names that lists use; the first word is our entity. */
const BRANDS: Readonly<Partial<Record<LabelKind, readonly Named[]>>> = {
  mixer: [
    named('tornado cash', 'tornado'),
    named('typhoon cash', 'typhoon'),
    named('railgun'),
    named('privacy pools', 'privacy pool'),
    named('privacy cash'),
    named('umbra'),
    named('cyclone'),
  ],
  exchange: [
    named('binance', 'binance us'),
    named('coinbase', 'coinbase prime'),
    named('kraken'),
    named('okx', 'okex', 'okcoin'),
    named('htx', 'huobi'),
    named('kucoin'),
    named('bybit'),
    named('bitget'),
    named('gate', 'gate io', 'gateio'),
    named('mexc', 'mxc'),
    named('crypto com', 'cryptocom'),
    named('bitfinex'),
    named('bitstamp'),
    named('gemini'),
    named('bittrex'),
    named('poloniex'),
    named('upbit'),
    named('bithumb'),
    named('ftx'),
    named('bitmart'),
    named('hotbit'),
    named('hitbtc'),
    named('coinone'),
    named('korbit'),
    named('coinex'),
    named('bitmex'),
    named('deribit'),
    named('nexo'),
    named('robinhood'),
    named('bitkub'),
    named('indodax'),
    named('ascendex', 'bitmax'),
    named('digifinex'),
    named('lbank'),
    named('latoken'),
    named('probit'),
    named('bitvavo'),
    named('swissborg'),
    named('coinsquare'),
    named('liquid exchange'),
    named('paribu'),
    named('btcturk'),
    named('cex io'),
    named('wirex'),
    named('bibox'),
    named('bigone'),
    named('exmo'),
    named('coinhako'),
    named('remitano'),
    named('cobinhood'),
    named('quadrigacx'),
    named('zb com', 'zbcom'),
    named('yobit'),
    named('cryptopia'),
    named('tidex'),
    named('bitpanda'),
    named('phemex'),
    named('whitebit'),
    named('backpack exchange'),
    named('maskex'),
    named('sideshift', 'sideshift ai'),
    named('changenow'),
    named('fixedfloat', 'ff io'),
    named('shapeshift'),
    named('changelly'),
    named('simpleswap'),
  ],
  bridge: [
    named('hop protocol'),
    named('multichain', 'anyswap'),
    named('wormhole', 'portal bridge'),
    named('across protocol', 'across'),
    named('synapse'),
    named('celer network', 'cbridge'),
    named('connext'),
    named('stargate'),
    named('layerzero'),
    named('ren', 'renvm', 'renbridge'),
    named('rhino fi'),
    named('arbitrum one'),
    named('debridge'),
    named('mayan'),
    named('allbridge'),
    named('orbiter finance', 'orbiter'),
    named('nomad'),
    named('ronin bridge'),
    named('polygon pos bridge'),
  ],
  dex: [
    named('uniswap'),
    named('sushiswap', 'sushi'),
    named('balancer'),
    named('bancor'),
    named('curve', 'curve fi'),
    named('kyber', 'kyberswap', 'kyber network'),
    named('0x', '0x protocol'),
    named('1inch'),
    named('dydx'),
    named('paraswap'),
    named('pancakeswap'),
    named('cow protocol'),
    named('tokenlon'),
    named('airswap'),
    named('loopring'),
    named('idex'),
    named('etherdelta'),
    named('dodo'),
    named('camelot'),
    named('velodrome'),
    named('aerodrome'),
    named('quickswap'),
    named('jupiter'),
    named('raydium'),
    named('orca'),
    named('meteora'),
    named('serum'),
    named('openbook'),
    named('phoenix'),
    named('lifinity'),
    named('pump fun', 'pumpfun'),
    named('fluxbeam'),
  ],
};

/** Addresses that issuers block belong to a thief, or to nobody: a token's contract, a burn address. */
const BLOCKED = ['blocked', 'blacklist', 'black list', 'blacklisted'];
const NOBODYS = ['burn', 'token', 'token contract', 'stablecoin'];
/** `Alder: ALD Token`. */
const NAMED_TOKEN = / (token|stablecoin)$/;

/** Lists' words for a kind; whole words in the form of `spaced`. */
const CATEGORIES: readonly (readonly [LabelKind, readonly string[]])[] = [
  ['mixer', ['mixer', 'mixing service', 'ethereum mixer', 'tumbler', 'coinjoin']],
  ['sanctioned', ['sanction', 'sanctions', 'sanctioned', 'ofac', 'ofac sanctions lists', 'sdn']],
  [
    'hack',
    [
      ...['hack', 'hacker', 'hacks', 'service hack', 'exploit', 'exploiter', 'heist', 'phish hack'],
      ...[
        'phishing',
        'scam',
        'scams',
        'fraud',
        'investment fraud',
        'ponzi',
        'ponzi scheme',
        'pyramid scheme',
      ],
      ...['stolen', 'malicious', 'drainer', ...BLOCKED, 'high risk', 'something fishy', 'fake', 'rug pull'],
    ],
  ],
  [
    'exchange',
    [
      ...['exchange', 'cex', 'centralized exchange', 'institution', 'otc', 'fiat gateway'],
      ...['instant exchange', 'swapper'],
    ],
  ],
  ['bridge', ['bridge', 'bridges', 'defi bridge', 'cross chain bridge']],
  ['dex', ['dex', 'defi dex', 'decentralized exchange', 'dex aggregator', 'amm']],
  [
    'contract',
    ['contract', 'program', 'defi', 'defi lending', 'token', 'token contract', 'stablecoin', 'nft'],
  ],
];

/** Suffixes after a service's name that mark its own addresses: `binance-deposit`, not `balancer-shareholders`. */
const OF_SERVICES =
  /^( (deposits?|wallets?|hot|cold|exchange|protocol|network|finance|fi|io|com|pools?|router|contracts?|v?\d+))*$/;

const KINDS_OF_BRANDS: readonly LabelKind[] = ['mixer', 'exchange', 'bridge', 'dex'];

const startsWithWord = (text: string, word: string): boolean => ` ${text} `.startsWith(` ${word} `);

/** The note of a pool: `Hollow 0.1 ETH`. */
const NOTE = / \d[\d.,]* ?[A-Za-z]{2,6}$/;

const kindOfCategory = (category: string): LabelKind | null =>
  CATEGORIES.find(([, known]) => known.includes(category))?.[0] ?? null;

const firstWord = (text: string): string => text.split(' ', 1)[0] ?? '';

/** By first word, in order of kinds, because a list has tens of thousands of names. */
const BRANDS_BY_WORD = Map.groupBy(
  KINDS_OF_BRANDS.flatMap((kind) =>
    (BRANDS[kind] ?? []).flatMap(({ entity, words }) => words.map((word) => ({ kind, entity, word }))),
  ),
  ({ word }) => firstWord(word),
);

/** The brand at the beginning of the text: one of this kind if there is one, else any. */
const brandOf = (text: string, kind?: LabelKind) => {
  const brands = (BRANDS_BY_WORD.get(firstWord(text)) ?? []).filter(({ word }) => startsWithWord(text, word));
  return brands.find((brand) => brand.kind === kind) ?? brands[0];
};

const strongest = (kinds: readonly (LabelKind | null | undefined)[]): LabelKind | null =>
  CATEGORIES.find(([kind]) => kinds.includes(kind))?.[0] ?? null;

/** The service whose own address a category describes. */
const serviceOf = (category: string): LabelKind | undefined => {
  const brand = brandOf(category);
  return brand && OF_SERVICES.test(category.slice(brand.word.length)) ? brand.kind : undefined;
};

/** The kind that a source's words mean; `other` if none is known. */
export const kindOf = (label: { name: string; categories: readonly string[] }): LabelKind => {
  const name = spaced(label.name);
  const isToken = isTokenName(label.name);
  const said = label.categories.map(spaced);
  const token = NAMED_TOKEN.test(name) ? 'contract' : null;
  const isNobodys = isToken || token !== null || said.some((word) => NOBODYS.includes(word));
  const categories = said
    .filter((category) => !(isNobodys && BLOCKED.includes(category)))
    .flatMap((category) => [kindOfCategory(category), serviceOf(category)]);
  if (isToken) {
    // It is no exchange, whoever issued it.
    const kind = strongest(categories);
    return kind === 'sanctioned' || kind === 'hack' ? kind : 'contract';
  }
  if (isWarning(label.name)) return strongest(categories) ?? 'other';
  const brand = brandOf(name)?.kind;
  return strongest([toldByName(label.name, brand === 'dex'), brand, token, ...categories]) ?? 'other';
};

/**
 * One word for the party behind a service's addresses, so that all lists mean the same one: the known brand, else
 * the list's word, else the text before a colon or a running number. Empty for kinds whose names are not parties.
 */
export const entityOf = (label: { name: string; kind: LabelKind; said?: string }): string => {
  if (label.said) return brandOf(spaced(label.said), label.kind)?.entity.replaceAll(' ', '-') ?? label.said;
  if (!KINDS_OF_BRANDS.includes(label.kind)) return '';
  const name = spaced(label.name);
  const brand = brandOf(name, label.kind);
  if (brand) return brand.entity.replaceAll(' ', '-');
  return spaced((label.name.split(':')[0] ?? '').replace(NOTE, ''))
    .replace(/( (cex|exchange|hot|cold|deposit|reserves?|wallets?|\d+))+$/, '')
    .replaceAll(' ', '-');
};
