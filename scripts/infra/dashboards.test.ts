import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { createMetrics } from '../../services/roles/create-metrics.ts';

const INFRA = new URL('../../infra/', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, INFRA), 'utf8');
const filesIn = (folder: string, ending: RegExp): string[] =>
  readdirSync(new URL(folder, INFRA), { recursive: true, encoding: 'utf8' })
    .filter((file) => ending.test(file))
    .map((file) => `${folder}${file}`);

/** Of operators' panels an expression, of investigators' SQL. */
type Target = { expr?: string; rawSql?: string };
type Dashboard = { panels: { title: string; datasource: { uid: string }; targets: Target[] }[] };
const dashboards = filesIn('grafana/dashboards/', /\.json$/).map(
  (file) => JSON.parse(read(file)) as Dashboard,
);
const { groups } = parse(read('prometheus/alerts.yml')) as { groups: { rules: { expr: string }[] }[] };
const expressions = [
  ...dashboards.flatMap(({ panels }) =>
    panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => expr ?? [])),
  ),
  ...groups.flatMap(({ rules }) => rules.map(({ expr }) => expr)),
];

/** Every name the service exposes, and the labels it is declared with. */
const exposed = async (): Promise<Set<string>> => {
  const { text } = await createMetrics().expose();
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  return new Set(
    types.flatMap(([, name, type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [`${name}`],
    ),
  );
};

test('every metric that a dashboard or an alert names is one that the service exposes', async () => {
  const names = await exposed();
  const named = expressions.flatMap((expr) => expr.match(/\bspoor_\w+/g) ?? []);
  expect(named.length).toBeGreaterThan(15);
  for (const name of named) expect(names, name).toContain(name);
});

test('counters whose increase is an alert begin at zero, with the labels that it asks for', async () => {
  const lines = (await createMetrics().expose()).text.split('\n');
  const watched = groups.flatMap(({ rules }) =>
    rules.flatMap(({ expr }) => [...expr.matchAll(/increase\((\w+)(?:\{(.*?)\})?\[/g)]),
  );
  expect(watched.length).toBeGreaterThan(1);
  for (const [expr, name = '', labels = ''] of watched)
    expect(
      lines.some((line) => line.startsWith(`${name}{`) && line.includes(labels) && line.endsWith(' 0')),
      expr,
    ).toBe(true);
});

test('lag, distance to the head, parts, latency, reservations and settlements are shown', () => {
  const shown = expressions.join('\n');
  for (const name of [
    'sink_lag',
    'chain_head_block - spoor_chain_indexed',
    'table_parts',
    'query_duration',
    'reservations',
    'settlements',
  ])
    expect(shown).toContain(`spoor_${name}`);
});

test('panels ask the data source that is provisioned', () => {
  const datasources = filesIn('grafana/provisioning/datasources/', /\.yaml$/).flatMap(
    (file) => (parse(read(file)) as { datasources: { uid: string }[] }).datasources,
  );
  for (const { title, datasource } of dashboards.flatMap(({ panels }) => panels))
    expect(
      datasources.map(({ uid }) => uid),
      title,
    ).toContain(datasource.uid);
});

test('every YAML file can be read', () => {
  const files = filesIn('', /\.ya?ml$/).filter((file) => !file.includes('/templates/'));
  expect(files.length).toBeGreaterThan(6);
  for (const file of files) expect(parse(read(file)), file).toBeTypeOf('object');
});
