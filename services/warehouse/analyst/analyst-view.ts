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

/** For rows that tell what came first, or since when: whether that may have been earlier. */
export const MISSING_BEFORE: Column = [
  'missing_before',
  "Nullable(DateTime('UTC'))",
  'not all blocks before that time are indexed, so it may be otherwise; 2106: not looked through yet; null: all are',
];

export const missingBefore = (database: string, chain: string): string => `
  multiIf(${chain} IN (SELECT toString(chain) FROM ${database}.indexed_spans FINAL WHERE begins_chain), NULL,
    ${chain} IN (SELECT toString(chain) FROM ${database}.indexed_spans FINAL),
    (SELECT mapFromArrays(groupArray(toString(chain)), groupArray(from_time)) FROM ${database}.indexed_spans FINAL)[toString(${chain})],
    toDateTime(4294967295, 'UTC')) AS missing_before`;

/** Excludes rows of abandoned blocks and of replaced copies. */
export const visible = (database: string): string =>
  `sequence NOT IN (SELECT sequence FROM ${database}.retracted)`;
