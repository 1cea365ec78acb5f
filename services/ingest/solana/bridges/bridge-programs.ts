import { SOLANA_TOKEN_BRIDGE } from '../../bridges/wormhole-claim.ts';
import { CCTP_PROGRAMS } from './read-cctp-calls.ts';
import { DLN_DESTINATION, DLN_SOURCE } from './read-debridge.ts';

/** Programs whose instructions are kept for decoding. */
export const BRIDGE_PROGRAMS: readonly string[] = [
  ...CCTP_PROGRAMS,
  DLN_SOURCE,
  DLN_DESTINATION,
  SOLANA_TOKEN_BRIDGE,
];
