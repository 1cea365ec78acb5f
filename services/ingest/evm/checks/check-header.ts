import type { DecodeProblem } from '../../../investigate/model/block.ts';
import type { ChainRules } from '../chain-rules.ts';
import { type RawObject, readArray, readObject } from '../read-hex.ts';
import { keccak } from '../roots/keccak.ts';
import { orderedRoot } from '../roots/ordered-trie.ts';
import { RlpWriter } from '../roots/rlp-writer.ts';
import { isKnownHeader, writeHeader, writeWithdrawal } from '../roots/write-header.ts';
import { orNone, readRoot } from './prove-roots.ts';

type Facts = {
  readonly rules: ChainRules;
  readonly hash: string;
  readonly uncles: readonly unknown[] | null;
};

const HEADER_BYTES = 1_024;
/** Polygon's headers name no miner; Erigon filled in the signer for a while (erigon#6080). */
const NULL_ADDRESS = `0x${'0'.repeat(40)}`;

/**
 * Compares a header with its hash, and with its withdrawals and uncles, which are paid. Only on chains whose roots
 * must agree, and only if the header is complete and in a known form.
 */
export const checkHeader = (block: RawObject, { rules, hash, uncles }: Facts): readonly DecodeProblem[] => {
  const findings: DecodeProblem[] = [];
  const contradict = (message: string): void => {
    findings.push({ code: 'header_contradicts', txIndex: null, message });
  };
  const headers = rules.fees.tip === 'fee_log' ? [block, { ...block, miner: NULL_ADDRESS }] : [block];
  if (isKnownHeader(block) && !headers.some((header) => hashOfHeader(header) === hash))
    contradict('the header does not have the hash that the block gives it');
  if (contradicts(readRoot(block.sha3Uncles), () => hashOfUncles(block, uncles)))
    contradict('the uncles do not make the hash in the header');
  // The OP stack keeps another root there and has no withdrawals.
  const isListed = rules.withdrawalsFrom !== null && rules.nativeWithdrawals;
  if (isListed && contradicts(readRoot(block.withdrawalsRoot), () => withdrawalsRoot(block)))
    contradict('the withdrawals do not make the root in the header');
  return findings;
};

/** `of` returns undefined if it cannot be computed, null if something is malformed. */
const contradicts = (told: string | null, of: () => string | null | undefined): boolean => {
  if (told === null) return false;
  const found = of();
  return found !== undefined && found !== told;
};

const hexOf = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString('hex')}`;

const hashOfHeader = (header: RawObject): string | null =>
  orNone(() => {
    const writer = new RlpWriter(HEADER_BYTES);
    writeHeader(writer, header);
    return hexOf(keccak(writer.take()));
  });

/** Uncles are fetched only where they are paid. */
const hashOfUncles = (block: RawObject, uncles: readonly unknown[] | null): string | null | undefined => {
  if (!Array.isArray(block.uncles)) return undefined;
  const told = block.uncles.length === 0 ? [] : (uncles ?? []);
  if (told.length !== block.uncles.length) return undefined;
  return orNone(() => {
    const headers = told.map((uncle) => readObject(uncle, 'uncle'));
    if (!headers.every(isKnownHeader)) return undefined;
    const writer = new RlpWriter(HEADER_BYTES);
    for (const header of headers.toReversed()) writeHeader(writer, header);
    writer.list(0);
    return hexOf(keccak(writer.take()));
  });
};

const withdrawalsRoot = ({ withdrawals }: RawObject): string | null | undefined => {
  if (withdrawals === undefined || withdrawals === null) return undefined;
  return orNone(() => {
    const all = readArray(withdrawals, 'withdrawals').map((raw) => readObject(raw, 'withdrawal'));
    return orderedRoot(all.length, new RlpWriter(), (writer, at) => writeWithdrawal(writer, all[at] ?? {}));
  });
};
