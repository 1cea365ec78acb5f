import type { LabelFormat } from './label-format.ts';
import { readCsv } from './read-csv.ts';

/** Exchanges publish these wallets as proof of reserves. */
const CONFIDENCE = 0.9;
const EVIDENCE = 'https://github.com/DefiLlama/DefiLlama-Adapters/blob/main/';

/** DefiLlama's wallets of exchanges: `cex,chain,address,source_file`. */
export const defillamaCex: LabelFormat = {
  name: 'defillama-cex',
  describe: "DefiLlama's exchange wallets (CSV)",
  read: (file) =>
    readCsv(file, {
      needed: ['cex', 'chain', 'address'],
      toRow: ({ where, cell }) => ({
        row: {
          where,
          chain: cell('chain'),
          address: cell('address'),
          name: cell('cex'),
          categories: ['cex'],
          kind: 'exchange',
          source: file.options.source ?? 'defillama-cex',
          creator: 'DefiLlama',
          confidence: CONFIDENCE,
          evidence: EVIDENCE + cell('source_file'),
          assertedAt: null,
        },
      }),
    }),
};
