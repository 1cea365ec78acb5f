import type { Hex } from 'viem';
import { concat, keccak256, stringToHex } from 'viem/utils';

const PREFIX = stringToHex('retryable escrow');

/** The account in which ArbOS keeps a ticket's value. `ticketId`: the hash of the submitting transaction. */
export const ticketEscrow = (ticketId: string): string =>
  `0x${keccak256(concat([PREFIX, ticketId as Hex])).slice(-40)}`;
