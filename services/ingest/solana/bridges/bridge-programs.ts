import { CCTP_PROGRAMS } from './read-cctp-call.ts';
import { DLN_DESTINATION, DLN_SOURCE } from './read-debridge.ts';
import { TOKEN_BRIDGE } from './read-wormhole-deposits.ts';

/** Whose instructions are kept to see what they tell. */
export const BRIDGE_PROGRAMS: readonly string[] = [
  ...CCTP_PROGRAMS,
  DLN_SOURCE,
  DLN_DESTINATION,
  TOKEN_BRIDGE,
];
