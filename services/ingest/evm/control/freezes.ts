import { toEventSelector } from 'viem/utils';
import { isStablecoin } from '../../../investigate/model/asset.ts';
import { findChain } from '../../../investigate/model/chain.ts';
import { wordOf } from '../read-log.ts';
import { type ControlDraft, type ControlLog, draft, partyIn } from './control-log.ts';

/**
 * What issuers log where they block an account, or no longer do:
 * - USDC: https://github.com/circlefin/stablecoin-evm (`Blacklistable.sol`)
 * - USDT: `TetherToken.sol` on Ethereum (the account is not indexed), `WithBlockedList.sol` elsewhere
 */
const EVENTS = [
  ['Blacklisted(address)', 'frozen'],
  ['UnBlacklisted(address)', 'thawed'],
  ['AddedBlackList(address)', 'frozen'],
  ['RemovedBlackList(address)', 'thawed'],
  ['BlockPlaced(address)', 'frozen'],
  ['BlockReleased(address)', 'thawed'],
] as const;

/** Only listed stablecoins' contracts are believed: anybody's may log the same. */
const isIssuer = (chainName: string, contract: string): boolean => {
  const chain = findChain(chainName);
  return chain !== null && isStablecoin(chain, contract);
};

export const freezeLogs: readonly ControlLog[] = EVENTS.map(([event, kind]) => ({
  topic: toEventSelector(event),
  read: ({ address: subject, topics, data }, context): ControlDraft | null => {
    if (!isIssuer(context.chain, subject)) return null;
    const holder = partyIn(topics[1] ?? wordOf(data, 0), context);
    return holder ? draft({ kind, subject, holder, party: context.sender }) : null;
  },
}));
