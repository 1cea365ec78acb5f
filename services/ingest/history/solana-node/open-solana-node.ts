import { malformed } from '../../nodes/decode-answer.ts';
import { SourceError } from '../../nodes/source-error.ts';
import { createSolanaRpc } from '../../solana/nodes/solana-rpc.ts';
import type { HistoryNodeOptions } from '../evm-node/open-evm-node.ts';
import type { HistoryNode, HistorySource } from '../history-source.ts';
import { createAnchors } from './anchors.ts';
import { createAskJson, createAskText } from './ask-node.ts';
import { decodeAlone } from './decode-alone.ts';
import { createSlotPlaces } from './slot-places.ts';
import { createSolanaNodeSource } from './solana-node-source.ts';
import { askHoldings, kindsProvedBy, type WalletHoldings } from './wallet-holdings.ts';

/** Wallets that are read at once, with room. */
/** More are hardly ever skipped in a row. */
const SLOTS_BACK = 32;
const HOLDINGS_MAX = 100;

/** A Solana node as both: it lists, and it decodes what others list. */
export const openSolanaNode = ({
  chain,
  retry,
  ...options
}: HistoryNodeOptions): { node: HistoryNode; source: HistorySource } => {
  const askText = createAskText(createSolanaRpc(options), retry);
  const ask = createAskJson(askText);
  /** Asked before the list, so that the rows of what comes meanwhile are seen as such. */
  const holdings = new Map<string, WalletHoldings>();
  const holdingsOf = async (wallet: string, signal: AbortSignal): Promise<WalletHoldings> => {
    const found = await askHoldings((method, params) => ask(method, params, signal), wallet);
    holdings.delete(wallet);
    holdings.set(wallet, found);
    const [oldest] = holdings.keys();
    if (holdings.size > HOLDINGS_MAX && oldest !== undefined) holdings.delete(oldest);
    return found;
  };
  /** Some nodes keep no times; the slot is what counts. */
  const unlessRefused = (error: unknown): null => {
    if (error instanceof SourceError) return null;
    throw error;
  };
  const timeOf = async (slot: number, signal: AbortSignal): Promise<number | null> => {
    const time = await ask('getBlockTime', [slot], signal).catch(unlessRefused);
    return typeof time === 'number' ? time : null;
  };
  /** Of the last block before a slot that has none, or whose block the node does not have yet. */
  const timeBefore = async (slot: number, signal: AbortSignal): Promise<number | null> => {
    const slots = await ask('getBlocks', [slot - SLOTS_BACK, slot - 1], signal).catch(unlessRefused);
    const last: unknown = Array.isArray(slots) ? slots.at(-1) : null;
    return typeof last === 'number' ? timeOf(last, signal) : null;
  };
  const head: HistoryNode['head'] = async (signal) => {
    const slot = await ask('getSlot', [{ commitment: 'finalized' }], signal);
    if (typeof slot !== 'number' || !Number.isSafeInteger(slot)) throw malformed('getSlot gave no number');
    return { place: slot, unixSeconds: (await timeOf(slot, signal)) ?? (await timeBefore(slot, signal)) };
  };
  const decoding = { ask: askText, placeOf: createSlotPlaces(ask), chain };
  const node: HistoryNode = {
    chain,
    head,
    decode: (listed, signal) => decodeAlone(decoding, listed, signal),
    prove: async ({ address, first, transactions }) => {
      const held = holdings.get(address);
      holdings.delete(address);
      // What was held before the window is not known.
      return held === undefined || first > 0 ? [] : kindsProvedBy(address, held, transactions);
    },
  };
  return {
    node,
    source: createSolanaNodeSource({ ask, anchors: createAnchors(ask), headOf: head, holdingsOf }),
  };
};
