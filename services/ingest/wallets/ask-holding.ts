import { type Chain, findChain } from '../../investigate/model/chain.ts';
import type { HoldingReader } from '../../investigate/model/holding-reader.ts';
import { NATIVE } from '../../investigate/model/movement.ts';
import { createEvmRpc } from '../evm/evm-rpc.ts';
import { askHoldings } from '../history/solana-node/wallet-holdings.ts';
import { createSolanaRpc, parseResult } from '../solana/nodes/solana-rpc.ts';

type Nodes = { readonly name: string; readonly rpcUrls: readonly string[] };
type AskHolding = (wallet: string, canonicalAsset: string, signal: AbortSignal) => Promise<bigint>;

/** An addition to an answer, so a slow node must not hold it up. */
const TIMEOUT_MS = 5_000;
/** A wallet with more token accounts than this is a service. */
const ANSWER_BYTES_MAX = 8 << 20;

/** Asks the nodes of a chain one after the other. All of them together get `timeoutMs` milliseconds. */
export const createHoldingReader = (nodes: readonly Nodes[], timeoutMs = TIMEOUT_MS): HoldingReader => {
  const byChain = new Map(
    nodes.map(({ name, rpcUrls }) => [name, rpcUrls.map((url) => askOf(name, url, timeoutMs))]),
  );
  return {
    holding: ({ chain, wallet }, canonicalAssets, { signal }) => {
      const nodes = byChain.get(chain) ?? [];
      const askOne = async (canonicalAsset: string): Promise<bigint | null> => {
        const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
        // A node may close a connection just as it is reused, so each node is asked twice before giving up.
        for (const ask of [...nodes, ...nodes]) {
          const holding = await ask(wallet, canonicalAsset, limited).catch(() => null);
          if (holding !== null || limited.aborted) return holding;
        }
        return null;
      };
      return Promise.all(canonicalAssets.map(askOne));
    },
  };
};

const askOf = (name: string, url: string, timeoutMs: number): AskHolding => {
  const chain = findChain(name);
  if (chain === null) throw new Error(`chain ${name} is not known`);
  const options = { url, timeoutMs, answerBytesMax: ANSWER_BYTES_MAX };
  return chain.family === 'solana' ? askSolana(options) : askEvm(chain, options);
};

type Options = { readonly url: string; readonly timeoutMs: number; readonly answerBytesMax: number };

const askSolana = (options: Options): AskHolding => {
  const rpc = createSolanaRpc(options);
  return async (wallet, canonicalAsset, signal) => {
    const { amounts } = await askHoldings(async (method, params) => {
      const answer = await rpc.ask(method, params, signal);
      if ('failure' in answer) throw new Error(answer.failure.message);
      return parseResult(answer.resultText, method);
    }, wallet);
    return amounts.get(canonicalAsset) ?? 0n;
  };
};

/** `balanceOf(address)`. */
const BALANCE_OF = '0x70a08231';

const askEvm = (chain: Chain, options: Options): AskHolding => {
  const rpc = createEvmRpc(options);
  return async (wallet, canonicalAsset, signal) => {
    const isCoin = canonicalAsset === NATIVE;
    const data = `${BALANCE_OF}${wallet.slice(2).padStart(64, '0')}`;
    const held = {
      method: 'eth_call',
      params: [{ to: isCoin ? chain.wrappedNative : canonicalAsset, data }, 'latest'],
    };
    const calls = isCoin ? [held, { method: 'eth_getBalance', params: [wallet, 'latest'] }] : [held];
    const answers = await rpc.ask(calls, signal);
    return answers.reduce((sum, answer, at) => {
      if ('failure' in answer) throw new Error(answer.failure.message);
      // Without a wrapped coin there is no code to answer.
      if (isCoin && at === 0 && answer.result === '0x') return sum;
      return sum + BigInt(String(answer.result));
    }, 0n);
  };
};
