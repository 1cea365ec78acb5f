import { basename } from 'node:path';
import { LABEL_KINDS } from '../../investigate/model/label.ts';
import type { LabelFormat } from './label-format.ts';
import { readCsv } from './read-csv.ts';

const CONFIDENCE = 0.7;

/** `address,chain,name,kind,source` in any order; what a file leaves out is said on the command line. */
export const csv: LabelFormat = {
  name: 'csv',
  describe: 'plain CSV: address,chain,name,kind,source',
  async *read(file) {
    const { chain, kind, source = basename(file.path).replace(/(\.csv)?(\.gz)?$/, '') } = file.options;
    const needed = chain === undefined ? ['address', 'chain'] : ['address'];
    for await (const read of readCsv(file, needed)) {
      if ('refusal' in read) {
        yield read;
        continue;
      }
      const { at, cell } = read.record;
      const word = cell('kind');
      const own =
        LABEL_KINDS.find((known) => known === word.toLowerCase()) ?? (word === '' ? kind : undefined);
      yield {
        row: {
          at,
          chain: cell('chain') || (chain ?? ''),
          address: cell('address'),
          name: cell('name'),
          categories: word === '' ? [] : [word],
          ...(own === undefined ? {} : { kind: own }),
          source: cell('source') || source,
          creator: '',
          confidence: CONFIDENCE,
          evidence: '',
          assertedAt: null,
        },
      };
    }
  },
};
