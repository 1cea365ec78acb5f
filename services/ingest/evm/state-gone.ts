/** Nodes that keep only recent state say so in many ways. */
const STATE_GONE =
  /state.*(not available|unavailable|missing|pruned)|missing trie node|pruned|no state|historical/i;

/** Whether a node's error says that it traces, but no transaction this old. */
export const isStateGone = (message: string): boolean => STATE_GONE.test(message);
