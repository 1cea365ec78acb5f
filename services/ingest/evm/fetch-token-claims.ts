import type { AssetClaim } from '../../investigate/model/describe-asset.ts';
import { SourceError } from '../nodes/source-error.ts';
import type { EvmRpc, RpcAnswer, RpcCall } from './evm-rpc.ts';

/** Selectors of `decimals()` and `symbol()`: https://eips.ethereum.org/EIPS/eip-20 */
const DECIMALS = '0x313ce567';
const SYMBOL = '0x95d89b41';

const TOKENS_PER_REQUEST = 50;
const WORD_HEX = 64;
/** Above this no amount of 256 bits is a whole unit. */
const DECIMALS_MAX = 77;
const SYMBOL_BYTES_MAX = 64;

const callOf = (to: string, data: string): RpcCall => ({
  method: 'eth_call',
  params: [{ to, data }, 'latest'],
});

type Claims = readonly (AssetClaim | null)[];

/**
 * Contracts' descriptions of themselves, in order; null if the node failed, which says nothing about the contract.
 * Throws `SourceError` if the node is out of reach, or the signal's reason.
 */
export const fetchTokenClaims = async (
  rpc: EvmRpc,
  tokens: readonly string[],
  signal: AbortSignal,
): Promise<Claims> => {
  const claims: (AssetClaim | null)[] = [];
  for (let from = 0; from < tokens.length; from += TOKENS_PER_REQUEST)
    claims.push(...(await askTokens(rpc, tokens.slice(from, from + TOKENS_PER_REQUEST), signal)));
  return claims;
};

/** A contract may answer megabytes. It is left out, so that the others of the request get their answers. */
const askTokens = async (rpc: EvmRpc, tokens: readonly string[], signal: AbortSignal): Promise<Claims> => {
  const calls = tokens.flatMap((token) => [callOf(token, DECIMALS), callOf(token, SYMBOL)]);
  try {
    const answers = await rpc.ask(calls, signal);
    return tokens.map((_, at) => toClaim(answers[2 * at], answers[2 * at + 1]));
  } catch (error) {
    if (!(error instanceof SourceError) || error.code !== 'answer_too_large') throw error;
    if (tokens.length === 1) return [null];
    const half = tokens.length >> 1;
    const first = await askTokens(rpc, tokens.slice(0, half), signal);
    return [...first, ...(await askTokens(rpc, tokens.slice(half), signal))];
  }
};

const toClaim = (decimals: RpcAnswer | undefined, symbol: RpcAnswer | undefined): AssetClaim | null => {
  const words = [wordsOf(decimals), wordsOf(symbol)] as const;
  if (words[0] === null || words[1] === null) return null;
  return { decimals: readDecimals(words[0]), symbol: readSymbol(words[1]) };
};

/** Hex digits of the answer, empty if the contract has none; null if the node failed. */
const wordsOf = (answer: RpcAnswer | undefined): string | null => {
  if (answer === undefined) return null;
  if ('failure' in answer)
    return /revert|invalid opcode|out of gas|invalid jump|stack/i.test(answer.failure.message) ? '' : null;
  const { result } = answer;
  return typeof result === 'string' && /^0x[0-9a-f]*$/i.test(result) ? result.slice(2) : null;
};

const readDecimals = (hex: string): number | null => {
  if (hex.length !== WORD_HEX) return null;
  const decimals = BigInt(`0x${hex}`);
  return decimals <= DECIMALS_MAX ? Number(decimals) : null;
};

/** A string in ABI form (offset, length, bytes), or the 32 bytes of early tokens. */
const readSymbol = (hex: string): string | null => {
  const bytes = Buffer.from(hex, 'hex');
  if (bytes.length === 32) return toText(bytes);
  if (bytes.length < 96) return null;
  const length = bytes.readUIntBE(58, 6);
  if (length > SYMBOL_BYTES_MAX || 64 + length > bytes.length) return null;
  return toText(bytes.subarray(64, 64 + length));
};

const toText = (bytes: Buffer): string | null => {
  const end = bytes.indexOf(0);
  return bytes.toString('utf8', 0, end === -1 ? bytes.length : end) || null;
};
