import { parseAbiItem } from 'viem/utils';
import { NATIVE } from '../../../investigate/model/movement.ts';
import { chainNumbered } from '../../bridges/bridge-numbers.ts';
import { type BridgeEvent, bridgeEvent, type Contracts } from './bridge-event.ts';

/**
 * Pools of version 2, and what each of them holds.
 * https://stargateprotocol.gitbook.io/stargate/v2-developer-docs/technical-reference
 */
const POOLS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ethereum: {
    '0x77b2043768d28e9c9ab44e1abfc95944bce57931': NATIVE,
    '0xc026395860db2d07ee33e05fe50ed7bd583189c7': '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
    '0x933597a323eb81cae705c5bc29985172fd5a3973': '0xdac17f958d2ee523a2206206994597c13d831ec7',
  },
  bsc: {
    '0x962bd449e630b0d928f308ce63f1a21f02576057': '0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d',
    '0x138eb30f73bc423c6455c53df6d89cb01d9ebc63': '0x55d398326f99059ff775485246999027b3197955',
  },
  polygon: {
    '0x9aa02d4fae7f58b8e8f34c66e756cc734dac7fe4': '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359',
    '0xd47b03ee6d86cf251ee7860fb2acf9f91b9fd4d7': '0xc2132d05d31c914a87c6611c10748aeb04b58e8f',
  },
  arbitrum: {
    '0xa45b5130f36cdca45667738e2a258ab09f4a5f7f': NATIVE,
    '0xe8cdf27acd73a434d661c84887215f7598e7d0d3': '0xaf88d065e77c8cc2239327c5edb3a432268e5831',
    '0xce8cca271ebc0533920c83d39f417ed6a0abb7d0': '0xfd086bc7cd5c481dcc9c85ebe478a1c0b69fcbb9',
  },
  optimism: {
    '0xe8cdf27acd73a434d661c84887215f7598e7d0d3': NATIVE,
    '0xce8cca271ebc0533920c83d39f417ed6a0abb7d0': '0x0b2c639c533813f4aa9d7837caf62653d097ff85',
    '0x19cfce47ed54a88614648dc3f19a5980097007dd': '0x94b008aa00579c1307b0ef2c499ad98a8ce58e58',
  },
  base: {
    '0xdc181bd607330aeebef6ea62e03e5e1fb4b6f7c7': NATIVE,
    '0x27a16dc786820b16e5c9028b75b99f6f604b5d26': '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  },
};
const CONTRACTS: Contracts = Object.fromEntries(
  Object.entries(POOLS).map(([chain, pools]) => [chain, Object.keys(pools)]),
);

const SENT = parseAbiItem(
  'event OFTSent(bytes32 indexed guid, uint32 dstEid, address indexed fromAddress, uint256 amountSentLD, uint256 amountReceivedLD)',
);
const RECEIVED = parseAbiItem(
  'event OFTReceived(bytes32 indexed guid, uint32 srcEid, address indexed toAddress, uint256 amountReceivedLD)',
);

/** A transfer that waits to cross with others has no number yet. */
const UNNUMBERED = `0x${'0'.repeat(64)}`;

export const stargateEvents: readonly BridgeEvent[] = [
  bridgeEvent(SENT, CONTRACTS, ({ guid, dstEid, fromAddress, amountSentLD }, { chain }, pool) => ({
    bridge: 'stargate',
    side: 'deposit',
    messageId: guid === UNNUMBERED ? null : guid,
    farChain: chainNumbered('layerZero', dstEid)?.name ?? null,
    from: fromAddress.toLowerCase(),
    // The event does not name the recipient on the other side.
    to: null,
    asset: POOLS[chain]?.[pool] ?? null,
    amountRaw: amountSentLD,
  })),
  bridgeEvent(RECEIVED, CONTRACTS, ({ guid, srcEid, toAddress, amountReceivedLD }, { chain }, pool) => ({
    bridge: 'stargate',
    side: 'delivery',
    messageId: guid,
    farChain: chainNumbered('layerZero', srcEid)?.name ?? null,
    from: null,
    to: toAddress.toLowerCase(),
    asset: POOLS[chain]?.[pool] ?? null,
    amountRaw: amountReceivedLD,
  })),
];
