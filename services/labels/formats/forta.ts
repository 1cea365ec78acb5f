import { basename, dirname } from 'node:path';
import type { CsvRecord } from '../../platform/read-csv.ts';
import type { LabelRow } from '../rules/check-row.ts';
import type { LabelFormat, ReadRow } from './label-format.ts';
import { readCsv } from './read-csv.ts';

const CONFIDENCE = 0.7;

/**
 * The labelled data sets of Forta (https://github.com/forta-network/labelled-datasets): malicious contracts,
 * phishing scams, explorers' flags. A file's folder is its chain's id. The maker of a malicious contract gets a
 * label of its own.
 */
export const forta: LabelFormat = {
  name: 'forta',
  describe: "Forta's labelled data sets (CSV; the folder names the chain)",
  read: (file) => {
    const chain = file.options.chain ?? basename(dirname(file.path));
    const source = file.options.source ?? 'forta';
    const toLabelRow = (part: Part): LabelRow => ({
      ...part,
      chain,
      source,
      creator: 'Forta',
      confidence: CONFIDENCE,
      assertedAt: null,
      kind: 'hack',
    });
    const toRow = (record: CsvRecord): ReadRow => {
      const { made, makers } = partsOf(record);
      return { row: toLabelRow(made), further: makers.map(toLabelRow) };
    };
    return readCsv(file, { needed: [], toRow });
  },
};

type Part = Pick<LabelRow, 'where' | 'address' | 'name' | 'categories' | 'evidence'>;

const FLAGS = 'malicious';

const partsOf = ({ where, cell }: CsvRecord): { readonly made: Part; readonly makers: readonly Part[] } => {
  const first = (...columns: string[]): string => columns.map(cell).find((text) => text !== '') ?? '';
  const note = first('notes', 'etherscan_labels', 'data_source', 'contract_creator_etherscan_label');
  const categories = [note, FLAGS].filter((word) => word !== '');
  const evidence = first('source', 'data_source');
  const address = first('contract_address', 'banned_address', 'address');
  const maker = cell('contract_creator');
  const made: Part = {
    where,
    address,
    name: first('contract_tag', 'wallet_tag', 'etherscan_tag'),
    categories,
    evidence,
  };
  if (maker === '') return { made, makers: [] };
  const name = cell('contract_creator_tag') || `${note || FLAGS}: creator`;
  return { made, makers: [{ ...made, where: `${where}, creator`, address: maker, name }] };
};
