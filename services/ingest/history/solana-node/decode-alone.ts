import { decodeAnswer } from '../../nodes/decode-answer.ts';
import { decodeSolanaBlock } from '../../solana/decode-solana-block.ts';
import { NEWEST_VERSION, UNSUPPORTED } from '../../solana/encoding/known-version.ts';
import { parseSolanaBlock } from '../../solana/encoding/parse-solana-block.ts';
import { cutToTransaction, ownPlace } from '../cut-to-transaction.ts';
import type { DecodedTransaction, ListedTransaction } from '../history-source.ts';
import { type AskText, UNREADABLE } from './ask-node.ts';
import type { PlaceOf } from './slot-places.ts';

const OPTIONS = {
  ...{ commitment: 'finalized', encoding: 'json' },
  maxSupportedTransactionVersion: NEWEST_VERSION,
};

type Asked = { readonly ask: AskText; readonly placeOf: PlaceOf; readonly chain: string };

/**
 * The answer holds a block's transaction with slot and time, and is decoded as a block of its own. Throws
 * `SourceError` if it cannot be decoded.
 */
export const decodeAlone = async (
  { ask, placeOf, chain }: Asked,
  listed: ListedTransaction,
  signal: AbortSignal,
): Promise<DecodedTransaction> => {
  const { id, block: slot } = listed;
  const [text, place] = await Promise.all([
    ask('getTransaction', [id, OPTIONS], signal),
    placeOf(listed, signal),
  ]);
  // Listed, but the node no longer has it or cannot read it.
  if (text.trim() === 'null') return { ...NOTHING, lacks: 'pruned' };
  if (text === UNREADABLE) return { ...NOTHING, lacks: 'version' };
  const head = '"blockhash":"","previousBlockhash":"","parentSlot":0';
  return decodeAnswer(() => {
    const block = parseSolanaBlock(`{${head},"transactions":[${text}]}`) as {
      transactions: { blockTime?: number | null }[];
    };
    const blockTime = block.transactions[0]?.blockTime ?? null;
    const decoded = decodeSolanaBlock({ block: { ...block, blockTime }, slot, chain, votes: 'sum' });
    if (decoded.problems.some(({ code }) => code === UNSUPPORTED)) return { ...NOTHING, lacks: 'version' };
    const cut = cutToTransaction(decoded, (hash) => place ?? ownPlace(hash));
    return {
      block: cut,
      sender: cut?.transactions[0]?.sender ?? null,
      // In its list of accounts, or as the owner of a token account in it.
      names: (address) => text.includes(`"${address}"`),
      lacks: null,
    };
  });
};

const NOTHING = { block: null, sender: null, names: () => true };
