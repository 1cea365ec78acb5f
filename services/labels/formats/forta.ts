import { basename, dirname } from 'node:path';
import type { LabelRow } from '../rules/check-row.ts';
import type { LabelFormat } from './label-format.ts';
import { type CsvRecord, readCsv } from './read-csv.ts';

const CONFIDENCE = 0.7;

/**
 * The labelled data sets of Forta (https://github.com/forta-network/labelled-datasets): malicious contracts, phishing
 * scams, flags of explorers. The folder of a file is its chain's id; who made a malicious contract is a label of its own.
 */
export const forta: LabelFormat = {
  name: 'forta',
  describe: "Forta's labelled data sets (CSV; the folder names the chain)",
  async *read(file) {
    const chain = file.options.chain ?? basename(dirname(file.path));
    const source = file.options.source ?? 'forta';
    for await (const read of readCsv(file, [])) {
      if ('refusal' in read) {
        yield read;
        continue;
      }
      const [row, ...further] = partsOf(read.record).map(
        (part): LabelRow => ({
          ...part,
          chain,
          source,
          creator: 'Forta',
          confidence: CONFIDENCE,
          assertedAt: null,
          kind: 'hack',
        }),
      );
      if (row) yield { row, further };
    }
  },
};

type Part = Pick<LabelRow, 'at' | 'address' | 'name' | 'categories' | 'evidence'>;

const FLAGS = 'malicious';

const partsOf = ({ at, cell }: CsvRecord): Part[] => {
  const first = (...columns: string[]): string => columns.map(cell).find((text) => text !== '') ?? '';
  const note = first('notes', 'etherscan_labels', 'data_source', 'contract_creator_etherscan_label');
  const categories = [note, FLAGS].filter((word) => word !== '');
  const evidence = first('source', 'data_source');
  const address = first('contract_address', 'banned_address', 'address');
  const maker = cell('contract_creator');
  const made: Part = {
    at,
    address,
    name: first('contract_tag', 'wallet_tag', 'etherscan_tag'),
    categories,
    evidence,
  };
  if (maker === '') return [made];
  return [
    made,
    {
      ...made,
      at: `${at}, creator`,
      address: maker,
      name: cell('contract_creator_tag') || `${note || FLAGS}: creator`,
    },
  ];
};
