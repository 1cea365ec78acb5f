import { csv } from './csv.ts';
import { defillamaCex } from './defillama-cex.ts';
import { dune } from './dune.ts';
import { etherscan } from './etherscan.ts';
import { forta } from './forta.ts';
import { graphsense } from './graphsense.ts';
import type { LabelFormat } from './label-format.ts';
import { ofacAdvanced } from './ofac-advanced.ts';
import { ofacList } from './ofac-list.ts';

/** Every format that can be imported. To add one, add a file beside these and a word here. */
export const LABEL_FORMATS: readonly LabelFormat[] = [
  csv,
  defillamaCex,
  dune,
  etherscan,
  forta,
  graphsense,
  ofacAdvanced,
  ofacList,
];
