import { concat, type Hex, keccak256, stringToHex } from 'viem';

const PREFIX = stringToHex('retryable escrow');

/** The account in which ArbOS keeps what a ticket is to carry. `ticketId`: the hash of the transaction that submits it. */
export const ticketEscrow = (ticketId: string): string =>
  `0x${keccak256(concat([PREFIX, ticketId as Hex])).slice(-40)}`;
