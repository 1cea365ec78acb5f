/** A block as its node pushed it. */
export type PushedBlock = {
  readonly slot: number;
  /** null where it is not told before the transactions. */
  readonly parentSlot: number | null;
  /** The JSON of the block, not parsed: as `getBlock` has it. */
  readonly resultText: string;
};

const AT_ENDS = 400;
const METHOD = /"method"\s*:\s*"blockNotification"/;
// Everything of the notification but the block, in whatever order a node writes it.
const BEFORE_BLOCK =
  /"value"\s*:\s*\{\s*(?:"err"\s*:\s*null\s*,\s*)?"slot"\s*:\s*(\d+)\s*,\s*(?:"err"\s*:\s*null\s*,\s*)?"block"\s*:\s*(?=\{)/;
const AFTER_BLOCK =
  /\s*(?:,\s*"err"\s*:\s*null\s*)?\}\s*\}\s*(?:,\s*"subscription"\s*:\s*\d+\s*)?\}\s*(?:,\s*"(?:jsonrpc|method)"\s*:\s*"[^"]*"\s*)*\}\s*$/;
const PARENT = /"parentSlot"\s*:\s*(\d+)/;

export const isBlockNotification = (message: string): boolean =>
  METHOD.test(message.slice(0, AT_ENDS)) || METHOD.test(message.slice(-AT_ENDS));

/**
 * The block in a notification of `blockSubscribe`, found without parsing it: amounts above 2^53 are still exact, and it
 * is parsed once. null where the node could not make it, or wrote it in a way that is not known: it must be asked for.
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
