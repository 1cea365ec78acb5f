import type { DecodeProblem } from '../../../investigate/model/block.ts';
import { BlockFormatError } from '../../block-format-error.ts';
import type { ChainRules } from '../chain-rules.ts';
import type { RawTransaction } from '../decode-transaction.ts';
import { lowerOf, type RawObject, readQuantityOr } from '../read-hex.ts';
import { checkFilters } from './check-filters.ts';
import { checkGas } from './check-gas.ts';
import { checkHeader } from './check-header.ts';
import { checkTransactions } from './check-transactions.ts';
import { leaveOutRepeated } from './leave-out-repeated.ts';
import { type Entry, readRoot, receiptsRoot } from './prove-roots.ts';
import { type Reading, readingsOf } from './read-receipts.ts';

export type CheckedBlock = {
  /** With the receipts that the header proves, or the likeliest ones; each transaction once. */
  readonly transactions: readonly RawTransaction[];
  /** Contradictions, repaired or not. */
  readonly findings: readonly DecodeProblem[];
};

export type BlockPlace = {
  readonly rules: ChainRules;
  readonly number: number;
  readonly hash: string;
  /** Whether the header counts gas differently from the receipts (EIP-7778). */
  readonly amsterdam: boolean;
  /** Whether all transactions of the block are here, so that the header's statements about all must hold. */
  readonly isWhole: boolean;
  readonly uncles: readonly unknown[] | null;
};

/**
 * Compares a block's receipts with its header: by their root if there is one, else by the log filter and
 * numbering; and gas by both. Contradictions within a log or receipt are repaired if one reading is right.
 */
export const checkBlock = (
  block: RawObject,
  transactions: readonly RawTransaction[],
  place: BlockPlace,
): CheckedBlock => {
  const { once, findings } = leaveOutRepeated(transactions);
  const told = once.flatMap(toEntry);
  // Missing or malformed entries are reported with their transaction; nothing can be proved then.
  const isWhole = place.isWhole && told.length === once.length;
  const checked = isWhole ? checkWhole(block, told, place) : firstOf(readingsOf(told, place));
  const signed = isFirm(place) ? told.filter((entry) => !isOfClient(entry, place)) : [];
  const isAll = isFirm(place) && isWhole && !told.some(isInBody);
  const ofTransactions = checkTransactions(block, signed, isAll);
  const ofHeader = isFirm(place) && !place.amsterdam ? checkHeader(block, place) : [];
  const receipts = new Map(checked.entries.map(({ txIndex, receipt }) => [txIndex, receipt]));
  return {
    transactions: once.map((raw) => {
      const receipt = receipts.get(raw.txIndex) ?? raw.receipt;
      return receipt === raw.receipt ? raw : { ...raw, receipt };
    }),
    findings: [...findings, ...told.flatMap(checkEntry), ...ofHeader, ...ofTransactions, ...checked.findings],
  };
};

const isObject = (value: unknown): value is RawObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const toEntry = ({ txIndex, tx, receipt }: RawTransaction): readonly Entry[] =>
  isObject(tx) && isObject(receipt) ? [{ txIndex, tx, receipt }] : [];

type Checked = { readonly entries: readonly Entry[]; readonly findings: DecodeProblem[] };

const firstOf = (readings: Generator<Reading>): Checked => {
  for (const { entries, findings } of readings) return { entries, findings: [...findings] };
  return { entries: [], findings: [] };
};

const checkWhole = (block: RawObject, told: readonly Entry[], place: BlockPlace): Checked => {
  const { reading, isProven } = chooseReading(block, told, place);
  const own = reading.entries.filter((entry) => !isOfClient(entry, place));
  const findings = [...reading.findings];
  if (!isProven) findings.push(...checkFilters(block, own));
  const { mended, findings: ofGas } = mendGas(block, own, isProven, place);
  findings.push(...ofGas);
  if (mended.size === 0) return { entries: reading.entries, findings };
  const entries = reading.entries.map((entry) => {
    const gas = mended.get(entry.txIndex);
    if (gas === undefined) return entry;
    return { ...entry, receipt: { ...entry.receipt, gasUsed: `0x${gas.toString(16)}` } };
  });
  return { entries, findings };
};

/** Whether the root must agree on this chain. */
const isFirm = ({ rules, number }: BlockPlace): boolean =>
  rules.rootsFrom !== null && number >= rules.rootsFrom;

const contradiction = (code: string, what: string): DecodeProblem => ({
  ...{ code, txIndex: null, message: `${what} do not make the root in the header` },
});

type Chosen = { readonly reading: Reading; readonly isProven: boolean };

/** The reading that matches the root, else the likeliest. */
const chooseReading = (block: RawObject, told: readonly Entry[], place: BlockPlace): Chosen => {
  const root = isRootless(told, place) ? null : readRoot(block.receiptsRoot);
  const hasStatus = place.number >= place.rules.statusFrom;
  let first: Reading | null = null;
  for (const reading of readingsOf(told, place)) {
    if (root === null) return { reading, isProven: false };
    if (countings(reading.entries, place).some((entries) => receiptsRoot(entries, hasStatus) === root))
      return { reading, isProven: true };
    first ??= reading;
  }
  const { entries, findings } = first ?? { entries: told, findings: [] };
  const found = isFirm(place) ? [contradiction('receipts_contradict', 'the receipts')] : [];
  return { reading: { entries, findings: [...findings, ...found] }, isProven: false };
};

/** Some nodes know the status of old transactions but no longer the state roots, which the trie contains. */
const isRootless = (entries: readonly Entry[], { rules, number }: BlockPlace): boolean =>
  number < rules.statusFrom && entries.some(({ receipt }) => readRoot(receipt.root) === null);

/** The client's own transactions are part of the tries only since some block. */
const countings = (entries: readonly Entry[], place: BlockPlace): readonly (readonly Entry[])[] => {
  const own = entries.filter((entry) => !isOfClient(entry, place));
  return own.length === entries.length ? [entries] : [own, entries];
};

/** Polygon's client transactions are part of blocks, but their form is unknown. */
const isInBody = ({ tx }: Entry): boolean => tx.type === '0x7f';

const isOfClient = ({ tx }: Entry, { rules }: BlockPlace): boolean =>
  rules.untracedSender !== null && lowerOf(tx.from) === rules.untracedSender;

const mendGas = (block: RawObject, entries: readonly Entry[], isProven: boolean, place: BlockPlace) => {
  try {
    const isCounted = isFirm(place) && !place.amsterdam;
    const totalRaw = isCounted ? readQuantityOr(block.gasUsed, 'gasUsed', null) : null;
    const withLimits = entries.map((entry) => {
      const isLimited = !place.rules.feelessTypes.includes(lowerOf(entry.tx.type));
      return { ...entry, limitRaw: isLimited ? readQuantityOr(entry.tx.gas, 'gas', null) : null };
    });
    return checkGas(withLimits, totalRaw, isProven);
  } catch (error) {
    if (!(error instanceof BlockFormatError)) throw error;
    const finding = { code: 'gas_contradicts', txIndex: null, message: error.message };
    return { mended: new Map<number, bigint>(), findings: [finding] };
  }
};

/** Two facts of its transaction that a receipt repeats. */
const checkEntry = ({ txIndex, tx, receipt }: Entry): readonly DecodeProblem[] => {
  const differs = (field: string): boolean => {
    const [own, other] = [tx[field], receipt[field]];
    return (
      typeof own === 'string' &&
      typeof other === 'string' &&
      own !== other &&
      own.toLowerCase() !== other.toLowerCase()
    );
  };
  const field = ['from', 'to', 'transactionIndex'].find(differs);
  if (field === undefined) return [];
  return [
    {
      code: 'receipts_contradict',
      txIndex,
      message: `the receipt has another ${field} than the transaction`,
    },
  ];
};
