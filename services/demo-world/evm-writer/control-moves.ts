import type { ControlMove } from '../writer.ts';
import { APPROVAL_TOPIC, addressTopic, addressWord, encodeCall, word, ZERO_ADDRESS } from './abi.ts';
import { type Frame, type Log, newFrame } from './frames.ts';

const OWNERSHIP_TOPIC = '0x8be0079c531659141344cd1fd0a4f28419497f9722a3daafe3b4186f6b6457e0';
const UPGRADED_TOPIC = '0xbc7cd75a20ee27fd9adebab32041f755214dbc6bffa90cc0225b39da2e5c2d3b';
const BLACKLISTED_TOPIC = '0xffa4e6181777692565cf28528fc88fd1516ea86b56da075235fa575af6a4b855';
const UNBLACKLISTED_TOPIC = '0x117e3210bb9aa7d9baff172026820255c6f6c30ba8999d1c2fd88e2848137c4e';

type Done = { readonly frame: Frame; readonly log: Log };

const logOf = (address: string, topics: readonly string[], data = '0x'): Log => ({ address, topics, data });

const ownershipLog = (contract: string, before: string, after: string): Log =>
  logOf(contract, [OWNERSHIP_TOPIC, addressTopic(before), addressTopic(after)]);

const approvalLog = (asset: string, owner: string, spender: string, amountRaw: bigint): Log =>
  logOf(asset, [APPROVAL_TOPIC, addressTopic(owner), addressTopic(spender)], `0x${word(amountRaw)}`);

/** The frame in which `caller` changes an authority, and its log. */
export const runControl = (caller: string, move: ControlMove): Done => {
  if (move.type === 'create') {
    const frame: Frame = {
      ...newFrame(caller, move.contract, 0n, encodeCall('constructor')),
      type: 'CREATE',
    };
    return { frame, log: ownershipLog(move.contract, ZERO_ADDRESS, move.owner) };
  }
  if (move.type === 'change_owner') {
    const input = encodeCall('transferOwnership', addressWord(move.to));
    return {
      frame: newFrame(caller, move.contract, 0n, input),
      log: ownershipLog(move.contract, move.from, move.to),
    };
  }
  if (move.type === 'upgrade') {
    const input = encodeCall('upgradeTo', addressWord(move.code));
    const log = logOf(move.contract, [UPGRADED_TOPIC, addressTopic(move.code)]);
    return { frame: newFrame(caller, move.contract, 0n, input), log };
  }
  if (move.type === 'freeze') {
    const [method, topic] = move.isReleased
      ? (['unBlacklist', UNBLACKLISTED_TOPIC] as const)
      : (['blacklist', BLACKLISTED_TOPIC] as const);
    const input = encodeCall(method, addressWord(move.account));
    const log = logOf(move.asset, [topic, addressTopic(move.account)]);
    return { frame: newFrame(caller, move.asset, 0n, input), log };
  }
  if (!('spender' in move)) throw new RangeError(`${move.type} is of Solana`);
  const isPermit = move.type === 'permit';
  const words = [addressWord(move.spender), word(move.amountRaw)];
  const input = isPermit
    ? encodeCall('permit', addressWord(move.owner), ...words, word(2n ** 64n), word(27), word(1), word(2))
    : encodeCall('approve', ...words);
  const log = approvalLog(move.asset, move.owner, move.spender, move.amountRaw);
  return { frame: newFrame(caller, move.asset, 0n, input), log };
};
