import type { Readable } from 'node:stream';
import type { LabelKind } from '../../investigate/model/label.ts';
import type { LabelRow, Refusal } from '../rules/check-row.ts';

/** A list to import, with the command line's options. */
export type LabelFile = {
  readonly path: string;
  /** The unpacked text; it can be read once. */
  open(): Readable;
  /** The whole text, for formats that need it. Throws `LabelFileError` above 256 MiB. */
  text(): Promise<string>;
  readonly options: FormatOptions;
};

/** Used if the rows themselves do not say it. */
export type FormatOptions = {
  readonly chain?: string;
  readonly kind?: LabelKind;
  readonly source?: string;
  /** Our column name → the file's. */
  readonly columns?: Readonly<Record<string, string>>;
};

/** A label's row, or an invalid part of the file. `further`: what the same row says of other addresses. */
export type ReadRow =
  | { readonly row: LabelRow; readonly further?: readonly LabelRow[] }
  | { readonly refusal: Refusal };

/** Reads lists of one format. Throws `LabelFileError` if the file has another format. */
export type LabelFormat = {
  readonly name: string;
  /** One line for the help. */
  readonly describe: string;
  /** Its rows contain their end. A row without one holds since its begin, whatever it said before. */
  readonly tellsEnds?: true;
  read(file: LabelFile): AsyncIterable<ReadRow>;
};

/** The file cannot be read in this format, or is too large. Rows before the error were imported. */
export class LabelFileError extends Error {
  readonly code = 'label_file_unreadable';
  constructor(path: string, reason: string, options?: ErrorOptions) {
    super(`${path}: ${reason}`, options);
    this.name = 'LabelFileError';
  }
}
