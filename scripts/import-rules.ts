import type { ICruiseOptions, IForbiddenRuleType } from 'dependency-cruiser';

const TESTS = '\\.(test|contract|fault)\\.ts$';
// Files that speak to a node; everything else of a chain family decodes.
const ASKS_NODES = '^services/ingest/(solana/nodes/|evm/(fetch-[^/]+|[^/]*rpc[^/]*)\\.ts$)';
// The only places that may import a vendor, so that an engine is changed in one module.
const VENDOR_WALLS: readonly { vendor: string; modules: string }[] = [
  { vendor: 'kafkajs', modules: '^services/platform/event-log/kafka/' },
  { vendor: '@kafkajs/', modules: '^services/platform/avro/' },
  { vendor: 'chdb|ffi-rs', modules: '^services/platform/warehouse-engine/' },
  { vendor: '@clickhouse/client', modules: '^services/platform/warehouse-engine/' },
  {
    vendor: 'viem',
    modules: '^services/(ingest/evm|demo-world/evm-writer|payments|accounts|testing/(evm|x402))/',
  },
  { vendor: 'hash-wasm', modules: '^services/ingest/evm/roots/' },
  { vendor: '@solana/', modules: '^services/(ingest/solana|payments|testing/(solana|x402))/' },
  { vendor: '@x402/', modules: '^services/(payments|testing/(x402|simulation))/' },
  { vendor: 'koa|@koa/', modules: '^(services/api/|scripts/bench/api)' },
  { vendor: 'esbuild', modules: '^services/console/serve/' },
  { vendor: 'pino', modules: '^services/platform/logger' },
  { vendor: 'prom-client', modules: '^services/platform/metrics' },
];

const vendorWall = ({ vendor, modules }: (typeof VENDOR_WALLS)[number]): IForbiddenRuleType => ({
  name: `wall-${vendor}`,
  severity: 'error',
  from: { path: '^(services|scripts)/', pathNot: `${modules}|${TESTS}` },
  to: { path: `^node_modules/(${vendor})` },
});

/** Test suites and what they share, which neither the service nor its image needs. */
export const ONLY_TESTS = new RegExp(`^services/testing/|${TESTS}`);

export const isShipped = (source: string): boolean =>
  source.startsWith('services/') && !ONLY_TESTS.test(source);

const forbidden: IForbiddenRuleType[] = [
  { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
  { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true, pathNot: '^vitest/' } },
  {
    // The pure modules: readable without Kafka, ClickHouse or the network.
    name: 'pure-modules-do-no-io',
    severity: 'error',
    from: { path: '^services/(investigate|labels/rules|(credits|payments)/decider)/', pathNot: TESTS },
    // The clock is a port of one line; hashing and base58 are arithmetic.
    to: {
      pathNot:
        '^services/(investigate/|labels/rules/|credits/decider/|payments/decider/|cases/decider/|platform/clock\\.ts$)|^node_modules/@(noble|scure)/',
    },
  },
  {
    // Names of files, and what bytes are, are text.
    name: 'decoders-are-pure',
    severity: 'error',
    from: { path: '^services/ingest/(solana|evm)/', pathNot: `${ASKS_NODES}|${TESTS}` },
    to: { dependencyTypes: ['core'], pathNot: '^(path|buffer)$' },
  },
  {
    name: 'decoders-ask-nobody',
    severity: 'error',
    from: { path: '^services/ingest/(solana|evm)/', pathNot: `${ASKS_NODES}|${TESTS}` },
    to: { path: `${ASKS_NODES}|^services/platform/` },
  },
  {
    name: 'platform-knows-no-service',
    severity: 'error',
    from: { path: '^services/platform/', pathNot: TESTS },
    to: { path: '^services/', pathNot: '^services/platform/' },
  },
  {
    // Services meet in the log, in the tables, or in main, api and cli, which wire them.
    name: 'modules-do-not-know-each-other',
    severity: 'error',
    from: {
      path: '^services/(ingest|warehouse|labels|prices|credits|payments|accounts|retrace|cases)/',
      pathNot: TESTS,
    },
    to: { path: '^services/', pathNot: '^services/(platform|investigate/model|labels/rules|events|$1)/' },
  },
  {
    name: 'nothing-shipped-leans-on-tests',
    severity: 'error',
    from: { path: '^services/', pathNot: ONLY_TESTS.source },
    to: { path: ONLY_TESTS.source },
  },
  {
    name: 'only-start-serves-the-demo-world',
    severity: 'error',
    from: { path: '^services/', pathNot: `${ONLY_TESTS.source}|^services/(demo-world|roles/world)/` },
    to: { path: '^services/demo-world/' },
  },
  ...VENDOR_WALLS.map(vendorWall),
];

export const CRUISE_OPTIONS: ICruiseOptions = {
  ruleSet: { forbidden },
  validate: true,
  // TypeScript 7 has no API for the cruiser's parser, which would see no module and report success.
  parser: 'swc',
  tsPreCompilationDeps: true,
  doNotFollow: { path: 'node_modules' },
  // The cruiser's visitor does not know `using`, which only test files use, nor JSX: the console's build refuses
  // whatever else of the service a page imports.
  exclude: { path: '^data/|\\.test\\.ts$|\\.tsx$' },
  enhancedResolveOptions: {
    extensions: ['.ts', '.js', '.json'],
    exportsFields: ['exports'],
    conditionNames: ['import', 'node', 'default', 'types'],
  },
};
