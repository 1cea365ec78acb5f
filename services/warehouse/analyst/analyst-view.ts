export type Column = readonly [name: string, type: string, comment: string];

/** A view that analysts ask. */
export type AnalystView = {
  readonly name: string;
  readonly comment: string;
  readonly columns: readonly Column[];
  /** The rows, from the tables of a database whose name is quoted already. A parameter in it is one of the view. */
  readonly query: (database: string) => string;
};

/** Leaves out rows of blocks that their chain abandoned, and of what was replaced. */
export const visible = (database: string): string =>
  `sequence NOT IN (SELECT sequence FROM ${database}.retracted)`;
