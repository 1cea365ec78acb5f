import { decodeEventLog, parseAbiItem, toEventSelector } from 'viem';
import { chainNumbered } from '../../bridge-numbers.ts';
import type { Log } from '../read-log.ts';
import {
  type BridgeContext,
  type BridgeEvent,
  type BridgeReading,
  type Contracts,
  findPaid,
  toEncoded,
} from './bridge-event.ts';

// Pools of version 2: https://stargateprotocol.gitbook.io/stargate/v2-developer-docs/technical-reference
const POOLS: Contracts = {
  ethereum: [
    '0x77b2043768d28e9c9ab44e1abfc95944bce57931',
    '0xc026395860db2d07ee33e05fe50ed7bd583189c7',
    '0x933597a323eb81cae705c5bc29985172fd5a3973',
  ],
  bsc: ['0x962bd449e630b0d928f308ce63f1a21f02576057', '0x138eb30f73bc423c6455c53df6d89cb01d9ebc63'],
  polygon: ['0x9aa02d4fae7f58b8e8f34c66e756cc734dac7fe4', '0xd47b03ee6d86cf251ee7860fb2acf9f91b9fd4d7'],
  arbitrum: [
    '0xa45b5130f36cdca45667738e2a258ab09f4a5f7f',
    '0xe8cdf27acd73a434d661c84887215f7598e7d0d3',
    '0xce8cca271ebc0533920c83d39f417ed6a0abb7d0',
  ],
  optimism: [
    '0xe8cdf27acd73a434d661c84887215f7598e7d0d3',
    '0xce8cca271ebc0533920c83d39f417ed6a0abb7d0',
    '0x19cfce47ed54a88614648dc3f19a5980097007dd',
  ],
  base: ['0xdc181bd607330aeebef6ea62e03e5e1fb4b6f7c7', '0x27a16dc786820b16e5c9028b75b99f6f604b5d26'],
};

const SENT = parseAbiItem(
  'event OFTSent(bytes32 indexed guid, uint32 dstEid, address indexed fromAddress, uint256 amountSentLD, uint256 amountReceivedLD)',
);
const RECEIVED = parseAbiItem(
  'event OFTReceived(bytes32 indexed guid, uint32 srcEid, address indexed toAddress, uint256 amountReceivedLD)',
);

/** What waits for others, to cross together with them, has no number yet. */
const UNNUMBERED = `0x${'0'.repeat(64)}`;

/** The pool of the coin is paid the message's fee on top. The event does not say who is paid on the far side. */
const readSent = (log: Log, context: BridgeContext): BridgeReading => {
  const { guid, dstEid, fromAddress, amountSentLD } = decodeEventLog({
    abi: [SENT],
    ...toEncoded(log),
  }).args;
  const paid =
    findPaid(context, { to: log.address, amountRaw: amountSentLD }) ?? findPaid(context, { to: log.address });
  return {
    bridge: 'stargate',
    side: 'deposit',
    messageId: guid === UNNUMBERED ? null : guid,
    farChain: chainNumbered('layerZero', dstEid)?.name ?? null,
    from: fromAddress.toLowerCase(),
    to: null,
    asset: paid?.asset ?? null,
    amountRaw: amountSentLD,
  };
};

const readReceived = (log: Log, context: BridgeContext): BridgeReading => {
  const { guid, srcEid, toAddress, amountReceivedLD } = decodeEventLog({
    abi: [RECEIVED],
    ...toEncoded(log),
  }).args;
  const to = toAddress.toLowerCase();
  const paid = findPaid(context, { from: log.address, to, amountRaw: amountReceivedLD });
  return {
    bridge: 'stargate',
    side: 'delivery',
    messageId: guid,
    farChain: chainNumbered('layerZero', srcEid)?.name ?? null,
    from: null,
    to,
    asset: paid?.asset ?? null,
    amountRaw: amountReceivedLD,
  };
};

export const stargateEvents: readonly BridgeEvent[] = [
  { topic: toEventSelector(SENT), contracts: POOLS, read: readSent },
  { topic: toEventSelector(RECEIVED), contracts: POOLS, read: readReceived },
];
