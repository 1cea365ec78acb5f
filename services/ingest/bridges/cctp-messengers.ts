import { stablecoinsOf } from '../../investigate/model/asset.ts';
import type { Chain } from '../../investigate/model/chain.ts';
import { toChainAddress } from './bridge-numbers.ts';

type CctpVersion = 1 | 2;

const EVERYWHERE_V2 = '0x28b5a0e9c621a5badaa536219b3a228c8168cf5d';

/**
 * Circle's token messengers by chain: they burn money and send the message. Anybody else may send a message the
 * same way. https://developers.circle.com/cctp/v1/evm-smart-contracts,
 * https://developers.circle.com/cctp/references/contract-addresses and
 * https://developers.circle.com/cctp/references/solana-programs
 */
export const CCTP_MESSENGERS: Readonly<Record<CctpVersion, Readonly<Record<string, string>>>> = {
  1: {
    ethereum: '0xbd3fa81b58ba92a82136038b25adec7066af3155',
    optimism: '0x2b4069517957735be00cee0fadae88a26365528f',
    arbitrum: '0x19330d10d9cc8751218eaf51e8885d058642e08a',
    base: '0x1682ae6375c4e4a97e4b583bc394c861a46d8962',
    polygon: '0x9daf8c91aefae50b9c0e69629d3f6ca40ca3b3fe',
    solana: 'CCTPiPYPc6AsJuwueEnWgSgucamXDZwBd53dQ11YiKX3',
  },
  2: {
    ethereum: EVERYWHERE_V2,
    optimism: EVERYWHERE_V2,
    arbitrum: EVERYWHERE_V2,
    base: EVERYWHERE_V2,
    polygon: EVERYWHERE_V2,
    solana: 'CCTPV2vPZJS2u2BBsUoscuikbYjnpFmbFsvVuJdgUMQe',
  },
};

/**
 * Whether a message is from the token messenger. `sender`: a word in hex, as the message names it. For chains
 * unknown here (`chain` null) any sender is accepted.
 */
export const isOfMessenger = (sender: string, chain: Chain | null, version: CctpVersion): boolean =>
  chain === null || toChainAddress(chain, sender) === CCTP_MESSENGERS[version][chain.name];

/** What the messengers of a chain issue; null if nothing. */
export const issuedByCctp = (chain: Chain): string | null =>
  stablecoinsOf(chain).find(({ symbol }) => symbol === 'USDC')?.asset ?? null;
