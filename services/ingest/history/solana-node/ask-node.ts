import { type RetryLimits, retryTransient } from '../../nodes/source-error.ts';
import { UNSUPPORTED_VERSION } from '../../solana/nodes/ask-for-block.ts';
import { parseResult, type SolanaRpc } from '../../solana/nodes/solana-rpc.ts';
import { toSourceError } from '../../solana/nodes/solana-rpc-error.ts';

/** The JSON text of an answer. */
export type AskText = (method: string, params: readonly unknown[], signal: AbortSignal) => Promise<string>;
/** An answer, parsed: of short ones only, as amounts lose their exactness. */
export type AskJson = (method: string, params: readonly unknown[], signal: AbortSignal) => Promise<unknown>;

/** Stands for a transaction of an unknown version; it is no JSON, so no node sends it. */
export const UNREADABLE = 'unreadable version';

/** Asks again after transient failures. */
export const createAskText =
  (rpc: SolanaRpc, retry?: RetryLimits): AskText =>
  (method, params, signal) =>
    retryTransient(
      async () => {
        const answer = await rpc.ask(method, params, signal);
        if ('resultText' in answer) return answer.resultText;
        if (answer.failure.code === UNSUPPORTED_VERSION) return UNREADABLE;
        throw toSourceError(answer.failure);
      },
      signal,
      retry,
    );

export const createAskJson =
  (ask: AskText): AskJson =>
  async (method, params, signal) =>
    parseResult(await ask(method, params, signal), method);
