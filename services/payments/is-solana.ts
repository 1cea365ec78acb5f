/** Whether a CAIP-2 network is Solana; every other one is EVM. */
export const isSolana = (network: string): boolean => network.startsWith('solana:');
