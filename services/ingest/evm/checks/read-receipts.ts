import type { DecodeProblem } from '../../../investigate/model/block.ts';
import { listOf, lowerOf, type RawObject, readQuantityOr } from '../read-hex.ts';
import type { Entry } from './prove-roots.ts';
import { halveRepeated, siftLogs } from './sift-logs.ts';

/** Possible readings of receipts, and what was contradictory. */
export type Reading = { readonly entries: readonly Entry[]; readonly findings: readonly DecodeProblem[] };

/**
 * The likeliest first: without logs that state another place; then unchanged; with cumulative gas fields summed
 * up; with half of the logs of receipts that repeat all of them.
 */
export function* readingsOf(
  told: readonly Entry[],
  block: { readonly hash: string; readonly number: number },
): Generator<Reading> {
  const sifted = sift(told, block);
  yield sifted;
  if (sifted.findings.length > 0) yield { entries: told, findings: [] };
  const summed = sumUp(sifted);
  if (summed) yield summed;
  const once = leaveOutRepeats(sifted);
  if (once) yield once;
}

const withLogs = (entry: Entry, logs: readonly unknown[]): Entry => ({
  ...entry,
  receipt: { ...entry.receipt, logs },
});

const sift = (told: readonly Entry[], { hash, number }: { hash: string; number: number }): Reading => {
  const findings: DecodeProblem[] = [];
  const entries = told.map((entry) => {
    const { txIndex, tx, receipt } = entry;
    if (!Array.isArray(receipt.logs) || receipt.logs.length === 0) return entry;
    const place = { blockHash: hash, blockNumber: number, hash: lowerOf(tx.hash) };
    const { logs, leftOut } = siftLogs(receipt.logs, place);
    if (leftOut.length === 0) return entry;
    const message = `${leftOut.length} logs were left out, since one ${leftOut[0]}`;
    findings.push({ code: 'logs_contradict', txIndex, message });
    return withLogs(entry, logs);
  });
  return { entries: findings.length === 0 ? told : entries, findings };
};

/** null if the reading would be the same, or the data is missing. */
const sumUp = ({ entries, findings }: Reading): Reading | null => {
  let sumRaw = 0n;
  let isOther = false;
  const summed: Entry[] = [];
  for (const entry of entries) {
    const gasRaw = readGas(entry.receipt, 'gasUsed');
    const upToRaw = readGas(entry.receipt, 'cumulativeGasUsed');
    if (gasRaw === null || upToRaw === null) return null;
    sumRaw += gasRaw;
    isOther ||= upToRaw !== sumRaw;
    const receipt = { ...entry.receipt, cumulativeGasUsed: `0x${sumRaw.toString(16)}` };
    summed.push({ ...entry, receipt });
  }
  const message = 'receipts tell another gas before them than was used: what was used makes the root';
  const problem = { code: 'gas_contradicts', txIndex: null, message };
  return isOther ? { entries: summed, findings: [...findings, problem] } : null;
};

const readGas = (receipt: RawObject, field: string): bigint | null => {
  try {
    return readQuantityOr(receipt[field], field, null);
  } catch {
    return null;
  }
};

/** null if no receipt has each of its logs twice. */
const leaveOutRepeats = ({ entries, findings }: Reading): Reading | null => {
  const more: DecodeProblem[] = [];
  const once = entries.map((entry) => {
    const logs = halveRepeated(listOf(entry.receipt.logs));
    if (logs === null) return entry;
    const message = 'logs are listed twice; listed once they make the root';
    more.push({ code: 'logs_contradict', txIndex: entry.txIndex, message });
    return withLogs(entry, logs);
  });
  return more.length > 0 ? { entries: once, findings: [...findings, ...more] } : null;
};
