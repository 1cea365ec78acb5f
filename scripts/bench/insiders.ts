import { type BulkOptions, bulkAddress } from '../../services/demo-world/bulk-transfers.ts';
import { findInsiders } from '../../services/investigate/insiders/find-insiders.ts';
import { WINDOW_DEFAULT_SECONDS } from '../../services/investigate/insiders/rules.ts';
import type { DecodedBlock } from '../../services/investigate/model/block.ts';
import { findChain } from '../../services/investigate/model/chain.ts';
import { NATIVE } from '../../services/investigate/model/movement.ts';
import { buildBlock, type TransactionPlan } from '../../services/testing/build-block.ts';
import type { Bench, Figure } from './figure.ts';
import { measureAnswers } from './measure-answers.ts';
import { numberOptions } from './number-options.ts';

const TRANSFERS = 300_000;
const LAUNCHES = 60;
const BUYERS = 100;
const COIN = 1_000_000_000n;

const run = async (argv: readonly string[]): Promise<Figure[]> => {
  const { transfers } = numberOptions(argv, { transfers: [TRANSFERS, 100_000] });
  const bulk = { seed: 1, transfers, chain: 'solana' };
  const chain = findChain('solana');
  if (chain === null) throw new Error('the chain of the benchmark is not known');
  return measureAnswers({
    ...{ name: 'insiders', bulk, questions: LAUNCHES, after: (last) => plantLaunches(bulk, last) },
    ask: async (readers, at) => {
      const token = tokenOf(at % LAUNCHES);
      const report = await findInsiders({ chain, token, windowSeconds: WINDOW_DEFAULT_SECONDS }, readers);
      if ((report.totals.earlyBuyers ?? 0) < BUYERS / 2)
        throw new Error('a launch of the benchmark was not found');
    },
  });
};

const tokenOf = (launch: number): string => `token ${launch}`;

/** Launches a second apart, each with buyers that have a history, some in the launch block. */
function* plantLaunches(bulk: BulkOptions, last: DecodedBlock): Generator<DecodedBlock> {
  const time = (last.timeUnixSeconds ?? 0) + 1;
  for (let launch = 0; launch < LAUNCHES; launch++) {
    const buyers = Array.from({ length: BUYERS }, (_, at) =>
      bulkAddress(bulk, 6 + (((launch * BUYERS + at) * 7_919) % (bulk.transfers / 20 - 6))),
    );
    const half = buyers.length / 2;
    yield blockOf(last.number + 1 + 2 * launch, time + launch, [
      created(launch),
      ...buyers.slice(0, half).map(bought(launch)),
    ]);
    yield blockOf(last.number + 2 + 2 * launch, time + launch, buyers.slice(half).map(bought(launch)));
  }
}

const blockOf = (
  number: number,
  timeUnixSeconds: number,
  transactions: readonly TransactionPlan[],
): DecodedBlock =>
  buildBlock({
    ...{ chain: 'solana', number, timeUnixSeconds },
    transactions: transactions.map((plan, at) => ({ ...plan, hash: `launch ${number} ${at}` })),
  });

const created = (launch: number): TransactionPlan => ({
  ...{ hash: '', sender: `creator ${launch}` },
  movements: [
    { from: null, to: `curve ${launch}`, asset: tokenOf(launch), kind: 'mint', amountRaw: 10n ** 15n },
  ],
});

const bought =
  (launch: number) =>
  (buyer: string): TransactionPlan => {
    const curve = `curve ${launch}`;
    const got = { gotAsset: tokenOf(launch), gotRaw: 10n ** 12n, through: curve };
    return {
      ...{ hash: '', sender: buyer },
      movements: [
        { from: buyer, to: curve, amountRaw: COIN },
        { from: curve, to: buyer, asset: tokenOf(launch), amountRaw: 10n ** 12n },
      ],
      swaps: [{ owner: buyer, gaveAsset: NATIVE, gaveRaw: COIN, ...got }],
    };
  };

export const bench: Bench = { name: 'insiders', run };
