import type { CsvRow } from '../../platform/write-csv.ts';
import type { VictimsAnswer } from './answer.ts';

export const LOSS_COLUMNS = [
  ...(['victim', 'label', 'signature', 'time', 'method', 'asset', 'asset_address'] as const),
  ...(['amount', 'amount_raw', 'received_raw', 'refunded_raw', 'usd', 'usd_source', 'intended'] as const),
];

/** One row for each loss, including refunded ones, for the CSV of the API and the command line. */
export const toLossRows = ({ victims, refunded }: Pick<VictimsAnswer, 'victims' | 'refunded'>): CsvRow[] =>
  [...victims, ...refunded].flatMap(({ address, label, losses }) =>
    losses.map(
      ({ asset, ...loss }): Record<(typeof LOSS_COLUMNS)[number], CsvRow[string]> => ({
        ...{ victim: address, label: label?.name ?? null, signature: loss.signature, time: loss.time },
        ...{ method: loss.method, asset: asset.symbol, asset_address: asset.address },
        ...{ amount: loss.amount, amount_raw: loss.amount_raw, received_raw: loss.received_raw },
        ...{ refunded_raw: loss.refunded_raw, usd: loss.usd, usd_source: loss.usd_source },
        intended: loss.intended,
      }),
    ),
  );
