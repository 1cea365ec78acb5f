import { basename } from 'node:path';
import { LABEL_KINDS } from '../../investigate/model/label.ts';
import type { CsvRecord } from '../../platform/read-csv.ts';
import type { LabelFormat, ReadRow } from './label-format.ts';
import { readCsv } from './read-csv.ts';

const CONFIDENCE = 0.7;

/** Other lists' names for our columns. */
const USUAL_COLUMNS = new Map([
  ['account', 'address'],
  ['wallet', 'address'],
  ['mint', 'address'],
  ['program_id', 'address'],
  ['blockchain', 'chain'],
  ['network', 'chain'],
  ['label', 'name'],
  ['category', 'kind'],
]);
/** The source of a name: `solscan: Binance 1`. */
const EXPLORER = /^[a-z]+: /;

/**
 * `address,chain,name,kind,source` in any order; the command line fills in missing ones. A column `labels` stands
 * for kind and name: `CEX_BINANCE|HOT_WALLET|solscan: Binance 1`. Rows with decimals are tokens.
 */
export const csv: LabelFormat = {
  name: 'csv',
  describe: 'plain CSV: address,chain,name,kind,source',
  read: (file) => {
    const { chain, kind, source = basename(file.path).replace(/(\.csv)?(\.gz)?$/, '') } = file.options;
    const toRow = ({ where, cell }: CsvRecord): ReadRow => {
      const word = cell('kind');
      const words = cell('labels').split('|');
      const own =
        LABEL_KINDS.find((known) => known === word.toLowerCase()) ??
        (word === '' ? (kind ?? (cell('decimals') === '' ? undefined : 'contract')) : undefined);
      return {
        row: {
          where,
          chain: cell('chain') || (chain ?? ''),
          address: cell('address'),
          name: cell('name') || (words.at(-1) ?? '').replace(EXPLORER, ''),
          categories: [word, ...words.flatMap((each) => each.split('_', 1))].filter((each) => each !== ''),
          ...(own === undefined ? {} : { kind: own }),
          source: cell('source') || source,
          creator: '',
          confidence: CONFIDENCE,
          evidence: '',
          assertedAt: null,
        },
      };
    };
    return readCsv(file, { needed: ['address'], usual: USUAL_COLUMNS, toRow });
  },
};
