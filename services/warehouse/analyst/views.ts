import type { AnalystView } from './analyst-view.ts';
import { PRICES, TOKENS } from './views/assets.ts';
import { BLOCKS, BRIDGE_TRANSFERS, CONTROL_EVENTS, LOOKALIKES } from './views/chains.ts';
import { FOLLOW_HOPS, SERVICE, SERVICE_ACTIVITY, TRACE_CANDIDATES, WALLET } from './views/investigate.ts';
import { DEPOSIT_ADDRESSES, LABELS, SERVICES } from './views/labels.ts';
import { HOPS, TRANSACTION, TRANSFERS, TRANSFERS_BETWEEN, WALLET_ACTIVITY } from './views/movements.ts';
import { RETRACE_RESULTS } from './views/retraces.ts';
import { USAGE } from './views/service.ts';
import { SWAPS } from './views/swaps.ts';
import { APPROVALS, APPROVALS_BY_SPENDER, FIRST_FUNDERS, FUNDED_BY, PROGRAMS } from './views/wallets.ts';

/** All that analysts may ask. */
export const VIEWS: readonly AnalystView[] = [
  ...[TRANSFERS, TRANSFERS_BETWEEN, TRANSACTION, WALLET_ACTIVITY, HOPS, SWAPS, TOKENS, PRICES],
  ...[LABELS, SERVICES, DEPOSIT_ADDRESSES, FIRST_FUNDERS, FUNDED_BY, PROGRAMS],
  ...[APPROVALS, APPROVALS_BY_SPENDER, USAGE, RETRACE_RESULTS],
  ...[WALLET, FOLLOW_HOPS, TRACE_CANDIDATES, SERVICE, SERVICE_ACTIVITY],
  ...[BLOCKS, BRIDGE_TRANSFERS, CONTROL_EVENTS, LOOKALIKES],
];
