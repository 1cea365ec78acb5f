import type { Readable } from 'node:stream';
import type { LabelKind } from '../../investigate/model/label.ts';
import type { LabelRow, Refusal } from '../rules/check-row.ts';

/** A list on its way in, and what the command line says of it beyond its content. */
export type LabelFile = {
  readonly path: string;
  /** The text, unpacked; can be read once. */
  open(): Readable;
  /** The whole text, for formats that cannot be read in pieces. Throws `LabelFileError` above 256 MiB. */
  text(): Promise<string>;
  readonly options: FormatOptions;
};

/** Stands in where the rows themselves do not say it. */
export type FormatOptions = {
  readonly chain?: string;
  readonly kind?: LabelKind;
  readonly source?: string;
  /** Our word for a column → the file's. */
  readonly columns?: Readonly<Record<string, string>>;
};

/** A label's row, or a part of the file that cannot be one. `further`: what the same row says of other addresses. */
export type ReadRow =
  | { readonly row: LabelRow; readonly further?: readonly LabelRow[] }
  | { readonly refusal: Refusal };

/** Reads lists of one format. Throws `LabelFileError` where the file is not of the format at all. */
export type LabelFormat = {
  readonly name: string;
  /** One line for the help. */
  readonly describe: string;
  /** Its rows say when they ended: one without an end holds since its begin, whatever it said before. */
  readonly tellsEnds?: true;
  read(file: LabelFile): AsyncIterable<ReadRow>;
};

/** The file cannot be read as what it is said to be, or says too much; then what it said before was taken. */
export class LabelFileError extends Error {
  readonly code = 'label_file_unreadable';
  constructor(path: string, reason: string, options?: ErrorOptions) {
    super(`${path}: ${reason}`, options);
    this.name = 'LabelFileError';
  }
}
