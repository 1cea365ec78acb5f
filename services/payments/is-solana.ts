/** Whether a network, as CAIP-2 names it, is Solana; else it is an EVM chain. */
export const isSolana = (network: string): boolean => network.startsWith('solana:');
