import type { Address } from './address.ts';
import type { Chain } from './chain.ts';

const BURN: Readonly<Record<Chain['family'], ReadonlySet<string>>> = {
  solana: new Set([
    // https://docs.rs/solana-sdk-ids/latest/solana_sdk_ids/incinerator/index.html
    '1nc1nerator11111111111111111111111111111111',
    // https://docs.rs/solana-sdk-ids/latest/solana_sdk_ids/system_program/index.html
    '11111111111111111111111111111111',
  ]),
  evm: new Set([
    `0x${'0'.repeat(40)}`,
    // https://etherscan.io/address/0x000000000000000000000000000000000000dead
    '0x000000000000000000000000000000000000dead',
    '0xdead000000000000000042069420694206942069',
  ]),
};

/** Whether nobody can have its key, so that what is sent there is lost. */
export const isBurnAddress = ({ family }: Chain, address: Address): boolean => BURN[family].has(address);
