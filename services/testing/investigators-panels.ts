import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = new URL('../../infra/grafana/dashboards/', import.meta.url);

type Dashboard = {
  readonly uid: string;
  readonly title: string;
  readonly tags: readonly string[];
  readonly templating?: { readonly list: readonly { readonly name: string; readonly query: string }[] };
  readonly panels: readonly {
    readonly title: string;
    readonly targets: readonly { readonly rawSql: string }[];
  }[];
};

/** The dashboards for investigators. */
export const readDashboards = (): Dashboard[] =>
  readdirSync(FOLDER)
    .map((file) => JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Dashboard)
    .filter(({ tags }) => tags.includes('investigation'));

type Filling = {
  readonly values: Readonly<Record<string, string>>;
  readonly from: string;
  readonly to: string;
};

/** The SQL that Grafana sends, with its variables and the macro of its plugin filled in. */
export const fillSql = (sql: string, { values, from, to }: Filling): string =>
  sql
    .replaceAll(/\$\{(\w+):sqlstring\}/g, (variable, name: string) => {
      const value = values[name];
      if (value === undefined) throw new Error(`${variable} has no value`);
      return `'${value.replaceAll("'", "''")}'`;
    })
    .replaceAll(
      /\$__timeFilter\((\w+)\)/g,
      (_, column: string) => `${column} >= toDateTime('${from}') AND ${column} <= toDateTime('${to}')`,
    );
