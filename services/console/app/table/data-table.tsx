import type { ReactNode } from 'react';
import { download } from '../shared/download.ts';
import { Scroll } from '../shared/scroll.tsx';
import { writeCsv } from './write-csv.ts';

export type Column<Row> = {
  readonly name: string;
  readonly show: (row: Row) => ReactNode;
  /** The cell in a CSV file; exact where the page is short. */
  readonly text: (row: Row) => string;
  readonly isNumber?: boolean;
};

type Props<Row> = {
  readonly title: string;
  /** Of the CSV file, without its ending. */
  readonly file: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  /** What is said where there is no row. */
  readonly none: string;
};

/** A table of an answer, with the same rows as a CSV file. */
export const DataTable = <Row,>({ title, file, rows, columns, keyOf, none }: Props<Row>) => (
  <section>
    <div className="tools">
      <h2>{title}</h2>
      {rows.length > 0 && (
        <button
          type="button"
          onClick={() =>
            download(
              `${file}.csv`,
              'text/csv',
              writeCsv(
                columns.map(({ name }) => name),
                rows.map((row) => columns.map(({ text }) => text(row))),
              ),
            )
          }
        >
          CSV<span className="hidden"> of {title}</span>
        </button>
      )}
    </div>
    {rows.length === 0 ? (
      <p>{none}</p>
    ) : (
      <Scroll name={`Rows of ${title}`}>
        <table>
          <thead>
            <tr>
              {columns.map(({ name, isNumber }) => (
                <th key={name} scope="col" className={isNumber ? 'number' : ''}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={keyOf(row)}>
                {columns.map(({ name, show, isNumber }) => (
                  <td key={name} className={isNumber ? 'number' : ''}>
                    {show(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    )}
  </section>
);
