import type { Asset } from './asset.ts';
import type { Chain } from './chain.ts';

/**
 * Tokens that stand for what was staked, on chains and with issuers where the transaction itself does not show it. They are receipts
 * however they were got.
 * - https://docs.lido.fi/deployed-contracts, https://docs.rocketpool.net/overview/contracts-integrations, https://www.coinbase.com/cbeth
 * - https://docs.marinade.finance, https://www.jito.network/docs, https://stake.solblaze.org, https://station.jup.ag
 */
const ISSUERS: Readonly<Record<string, string>> = {
  'ethereum:0xae7ab96520de3a18e5e111b5eaab095312d7fe84': 'Lido',
  'ethereum:0x7f39c581f595b53c5cb19bd0b3f8da6c935e2ca0': 'Lido',
  'ethereum:0xae78736cd615f374d3085123a210448e74fc6393': 'Rocket Pool',
  'ethereum:0xbe9895146f7af43049ca1c1ae358b0541ea49704': 'Coinbase',
  'solana:mSoLzYCxHdYgdzU16g5QSh3i5K3z3KZK7ytfqcJm7So': 'Marinade',
  'solana:J1toso1uCk3RLmjorhTtrVwY9HJ7X6V9yYac6Y7kGCPn': 'Jito',
  'solana:bSo13r4TkiE4KumL71LsHTPpL2euBYLFx6h9HP3piy1': 'BlazeStake',
  'solana:jupSoLaHXQiZZTSfEWMTRRgpnyFm8f6sZdosWBjx93v': 'Jupiter',
};

/** Who pays such a token back; null where it is none that is listed. */
export const receiptIssuer = ({ name }: Chain, asset: Asset): string | null =>
  ISSUERS[`${name}:${asset}`] ?? null;
