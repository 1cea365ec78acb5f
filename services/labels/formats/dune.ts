import type { CsvRecord } from '../../platform/read-csv.ts';
import { readTime } from '../../platform/read-time.ts';
import type { LabelFormat, ReadRow } from './label-format.ts';
import { readCsv } from './read-csv.ts';

const CONFIDENCE = 0.7;

/**
 * Results of a query over Dune's `labels.addresses` (`blockchain, address, name, category, contributor, source, updated_at,
 * …`, https://docs.dune.com/data-catalog/curated/labels/address-labels) or `cex.addresses` (`cex_name`, `distinct_name`).
 */
export const dune: LabelFormat = {
  name: 'dune',
  describe: 'CSV of a Dune query over labels.addresses or cex.addresses',
  read: (file) => {
    const toRow = ({ where, cell }: CsvRecord): ReadRow => {
      const exchange = cell('cex_name');
      const categories = [exchange === '' ? cell('category') : 'cex', cell('model_name')];
      return {
        row: {
          where,
          chain: cell('blockchain'),
          address: cell('address'),
          name: cell('distinct_name') || cell('name') || exchange,
          categories: categories.filter((word) => word !== ''),
          source: file.options.source ?? 'dune',
          creator: cell('contributor') || cell('added_by'),
          confidence: CONFIDENCE,
          evidence: cell('source'),
          assertedAt: readTime(cell('updated_at') || cell('added_date') || cell('created_at')),
        },
      };
    };
    return readCsv(file, { needed: ['blockchain', 'address'], toRow });
  },
};
