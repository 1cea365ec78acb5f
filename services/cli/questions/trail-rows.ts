import type { CsvRow } from '../../platform/write-csv.ts';
import type { Trail } from '../../sdk/create-spoor.ts';
import { linkTo } from './draw-words.ts';

/** One row a hop, and one for the end. Lists are separated by spaces. */
export const toTrailRows = ({ chain, hops, end, asset }: Trail): readonly CsvRow[] => {
  const of = { asset: asset.address ?? 'native', symbol: asset.symbol };
  const last = hops.at(-1);
  const label = last?.to_label ?? last?.from_label ?? null;
  return [
    ...hops.map((hop, index) => {
      const whose = hop.to_label ?? hop.from_label ?? null;
      return {
        ...{ hop: index + 1, from: hop.from, to: hop.to, label: whose?.name ?? null },
        ...{
          amount: hop.amount,
          amount_raw: hop.amount_raw,
          ...of,
          usd: hop.usd,
          share: hop.share,
          share_of: hop.share_of,
        },
        ...{ time: hop.time, signature: hop.signature, kind: whose?.kind ?? null },
        ...{ moved: hop.moved, moved_raw: hop.moved_raw, transactions_total: hop.transactions_total },
        signatures: hop.transactions.map(({ signature }) => signature).join(' '),
        times: hop.transactions.map(({ time }) => time).join(' '),
        amounts_raw: hop.transactions.map(({ amount_raw }) => amount_raw).join(' '),
        ...{ link: linkTo(chain, hop.signature), end: null, detail: null },
      };
    }),
    {
      ...{ hop: null, from: null, to: end.address, label: label?.name ?? null },
      ...{ amount: null, amount_raw: null, ...of, usd: null, share: null, share_of: null },
      ...{ time: end.time, signature: end.signature, kind: label?.kind ?? null },
      ...{ moved: null, moved_raw: null, transactions_total: null },
      ...{ signatures: null, times: null, amounts_raw: null },
      link: end.signature === null ? null : linkTo(chain, end.signature),
      ...{ end: end.reason, detail: end.detail },
    },
  ];
};
