import type { DecodeProblem } from '../../investigate/model/block.ts';
import { type Movement, NATIVE } from '../../investigate/model/movement.ts';
import { BlockFormatError } from '../block-format-error.ts';
import type { AddressBook } from './address-book.ts';
import type { ChainRules } from './chain-rules.ts';
import {
  type RawObject,
  readArray,
  readNumber,
  readObject,
  readQuantity,
  readQuantityOr,
} from './read-hex.ts';
import { TransactionRows } from './transaction-rows.ts';

export type BlockFacts = {
  readonly rules: ChainRules;
  readonly addresses: AddressBook;
  readonly block: RawObject;
  readonly number: number;
  readonly miner: string;
  readonly uncles: readonly unknown[] | null;
};

type Found = { readonly movements: Movement[]; readonly problems: DecodeProblem[] };

const WEI_PER_GWEI = 1_000_000_000n;
/** An uncle earns an eighth less of the reward for each block of age. The including block gets a 32nd. */
const UNCLE_STEPS = 8n;
const NEPHEW_PART = 32n;

/** Adds the block's own rows after its transactions: gathered fees, rewards, withdrawals. */
export const addBlockRows = (facts: BlockFacts, found: Found): void => {
  const rows = new TransactionRows(null, facts.rules);
  const attempt = (code: string, add: () => void): void => {
    try {
      add();
    } catch (error) {
      if (!(error instanceof BlockFormatError)) throw error;
      found.problems.push({ code, txIndex: null, message: error.message });
    }
  };
  const irregular = facts.rules.irregularBlocks[facts.number];
  if (irregular !== undefined)
    found.problems.push({ code: 'irregular_state_change', txIndex: null, message: irregular });
  attempt('fees_malformed', () => handOverFees(facts, found.movements, rows));
  attempt('reward_malformed', () => addRewards(facts, found, rows));
  attempt('withdrawals_malformed', () => addWithdrawals(facts, found, rows));
  for (const movement of rows.movements) found.movements.push(movement);
};

const handOverFees = (
  { rules, miner }: BlockFacts,
  movements: readonly Movement[],
  rows: TransactionRows,
): void => {
  const account = rules.feesGatherIn;
  if (account === null) return;
  // The client empties the account, including payments to it.
  let weiRaw = 0n;
  for (const { asset, from, to, amountRaw } of movements) {
    if (asset !== NATIVE || from === to) continue;
    if (to === account) weiRaw += amountRaw;
    else if (from === account) weiRaw -= amountRaw;
  }
  if (weiRaw < 0n) throw new BlockFormatError('field_malformed', `${account} paid more than it was paid`);
  rows.addNative('fee', account, miner, weiRaw);
};

const addRewards = (
  { rules, addresses, block, number, miner, uncles }: BlockFacts,
  found: Found,
  rows: TransactionRows,
): void => {
  const rewardRaw = rules.blockRewards.findLast(({ fromBlock }) => number >= fromBlock)?.weiRaw ?? 0n;
  if (rewardRaw === 0n || readQuantityOr(block.difficulty, 'difficulty', 1n) === 0n) return;
  const included = BigInt(readArray(block.uncles ?? [], 'uncles').length);
  rows.addNative('reward', null, miner, rewardRaw + (included * rewardRaw) / NEPHEW_PART);
  if (included === 0n) return;
  if (uncles === null || BigInt(uncles.length) !== included) {
    const message = `the rewards of ${included} uncles are not known: their headers were not fetched`;
    found.problems.push({ code: 'uncles_absent', txIndex: null, message });
    return;
  }
  for (const raw of uncles) {
    const uncle = readObject(raw, 'uncle');
    const steps = UNCLE_STEPS - BigInt(number - readNumber(uncle.number, 'number of an uncle'));
    const account = addresses.read(uncle.miner, 'miner of an uncle');
    rows.addNative('reward', null, account, (steps * rewardRaw) / UNCLE_STEPS);
  }
};

const addWithdrawals = (
  { rules, addresses, block, number }: BlockFacts,
  found: Found,
  rows: TransactionRows,
): void => {
  if (!rules.nativeWithdrawals) return;
  const { withdrawals } = block;
  if (withdrawals === undefined || withdrawals === null) {
    const message = 'the block does not list its withdrawals';
    if (rules.withdrawalsFrom !== null && number >= rules.withdrawalsFrom)
      found.problems.push({ code: 'withdrawals_absent', txIndex: null, message });
    return;
  }
  for (const raw of readArray(withdrawals, 'withdrawals')) {
    const withdrawal = readObject(raw, 'withdrawal');
    const gwei = readQuantity(withdrawal.amount, 'amount of a withdrawal');
    const account = addresses.read(withdrawal.address, 'address of a withdrawal');
    rows.addNative('withdrawal', null, account, gwei * WEI_PER_GWEI);
  }
};
