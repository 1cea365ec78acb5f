/** A block pushed by its node. */
export type PushedBlock = {
  readonly slot: number;
  /** null if it does not precede the transactions. */
  readonly parentSlot: number | null;
  /** The block's JSON, unparsed, as in `getBlock`. */
  readonly resultText: string;
};

const AT_ENDS = 400;
const METHOD = /"method"\s*:\s*"blockNotification"/;
// Everything of the notification except the block, in any order.
const BEFORE_BLOCK =
  /"value"\s*:\s*\{\s*(?:"err"\s*:\s*null\s*,\s*)?"slot"\s*:\s*(\d+)\s*,\s*(?:"err"\s*:\s*null\s*,\s*)?"block"\s*:\s*(?=\{)/;
const AFTER_BLOCK =
  /\s*(?:,\s*"err"\s*:\s*null\s*)?\}\s*\}\s*(?:,\s*"subscription"\s*:\s*\d+\s*)?\}\s*(?:,\s*"(?:jsonrpc|method)"\s*:\s*"[^"]*"\s*)*\}\s*$/;
const PARENT = /"parentSlot"\s*:\s*(\d+)/;

export const isBlockNotification = (message: string): boolean =>
  METHOD.test(message.slice(0, AT_ENDS)) || METHOD.test(message.slice(-AT_ENDS));

/**
 * Finds the block in a `blockSubscribe` notification without parsing it, so that amounts above 2^53 stay exact and
 * it is parsed once. null if the node could not make it, or wrote it in an unknown layout: it must be requested.
 */
export const readBlockNotification = (message: string): PushedBlock | null => {
  const before = BEFORE_BLOCK.exec(message.slice(0, AT_ENDS));
  const tailStart = Math.max(message.length - AT_ENDS, 0);
  const after = AFTER_BLOCK.exec(message.slice(tailStart));
  if (!before || !after) return null;
  const resultText = message.slice(before.index + before[0].length, tailStart + after.index);
  const parent = PARENT.exec(resultText.slice(0, AT_ENDS));
  return { slot: Number(before[1]), parentSlot: parent && Number(parent[1]), resultText };
};
