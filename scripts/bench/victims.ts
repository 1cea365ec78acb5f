import { bulkAddress } from '../../services/demo-world/bulk-transfers.ts';
import { findChain } from '../../services/investigate/model/chain.ts';
import { findVictims } from '../../services/investigate/victims/find-victims.ts';
import { VICTIMS_DEFAULT } from '../../services/investigate/victims/rules.ts';
import type { Bench, Figure } from './figure.ts';
import { measureAnswers } from './measure-answers.ts';
import { numberOptions } from './number-options.ts';

const TRANSFERS = 300_000;
const QUESTIONS = 100;
/** After the hot wallets, which are services: from some hundred payers down to one. */
const FIRST_RANK = 6;
const RANKS_APART = 37;

const run = async (argv: readonly string[]): Promise<Figure[]> => {
  const { transfers } = numberOptions(argv, { transfers: [TRANSFERS, 100_000] });
  const bulk = { seed: 1, transfers, chain: 'solana' };
  const chain = findChain('solana');
  if (chain === null) throw new Error('the chain of the benchmark is not known');
  const times = { fromUnixSeconds: 0, toUnixSeconds: 4_294_967_295 };
  return measureAnswers({
    ...{ name: 'victims', bulk, questions: QUESTIONS },
    ask: (readers, at) => {
      const address = bulkAddress(bulk, FIRST_RANK + at * RANKS_APART);
      return findVictims({ chain, address, ...times, limit: VICTIMS_DEFAULT }, readers);
    },
  });
};

export const bench: Bench = { name: 'victims', run };
