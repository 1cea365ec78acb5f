export type Column = readonly [name: string, type: string, comment: string];

/** A view for analysts. */
export type AnalystView = {
  readonly name: string;
  readonly comment: string;
  readonly columns: readonly Column[];
  /**
   * The query of its rows, from the tables of a database whose name is already quoted. A parameter in it is a
   * parameter of the view.
   */
  readonly query: (database: string) => string;
};

/** Excludes rows of abandoned blocks and of replaced copies. */
export const visible = (database: string): string =>
  `sequence NOT IN (SELECT sequence FROM ${database}.retracted)`;
