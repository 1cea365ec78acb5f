import type { RawBlock } from '../../ingest/solana/encoding/raw-block.ts';
import {
  type ScriptedAnswer,
  type ScriptedCall,
  type ScriptedNode,
  startScriptedNode,
} from './scripted-node.ts';

type Options = {
  /** By slot; what lies between two of them was skipped. */
  readonly blocks: Readonly<Record<number, RawBlock>>;
  /** The highest version that it hands out whatever it is asked for; a proxy may know fewer than its node. */
  readonly versionMax?: number;
};

type Asked = { readonly transactionDetails?: string; readonly maxSupportedTransactionVersion?: number };

/**
 * A node that refuses blocks as Agave does: whole where it would have to show a transaction that is newer than asked for, and
 * never where it is asked for none of them.
 */
export const startAgaveNode = ({ blocks, versionMax = 255 }: Options): Promise<ScriptedNode> =>
  startScriptedNode({ answer: (call) => answer(blocks, versionMax, call) });

const answer = (
  blocks: Options['blocks'],
  versionMax: number,
  { method, params }: ScriptedCall,
): ScriptedAnswer => {
  const slots = Object.keys(blocks).map(Number);
  const slot = Number(params[0]);
  if (method === 'getSlot') return { result: Math.max(...slots) };
  if (method === 'getBlocksWithLimit')
    return { result: slots.filter((each) => each >= slot).slice(0, Number(params[1])) };
  const found = blocks[slot];
  if (method !== 'getBlock') return failure(-32_601, 'Method not found');
  if (!found) return failure(-32_007, `Slot ${slot} was skipped, or missing due to ledger jump`);
  return { ...render(found, versionMax, (params[1] ?? {}) as Asked) };
};

const render = (
  block: RawBlock,
  versionMax: number,
  { transactionDetails = 'full', maxSupportedTransactionVersion: asked = -1 }: Asked,
): ScriptedAnswer => {
  const { transactions, ...header } = block;
  if (transactionDetails === 'none') return { result: header };
  const newer = transactions.find(({ version }) => Number(version) > Math.min(asked, versionMax))?.version;
  if (newer === undefined) return { result: block };
  return failure(
    -32_015,
    `Transaction version (${newer}) is not supported by the requesting client. Please try the request again ` +
      `with the following configuration parameter: "maxSupportedTransactionVersion": ${newer}`,
  );
};

const failure = (code: number, message: string): ScriptedAnswer => ({ error: { code, message } });
