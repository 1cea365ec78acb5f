/**
 * Checks the rules of which module may import which. Fails if a rule is broken, if hardly any module was read, or if
 * the checker misses a circle that this script plants on purpose.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import { CRUISE_OPTIONS, isShipped, ONLY_TESTS } from './import-rules.ts';

const MODULES_MIN = 20;
const ROOT = join(import.meta.dirname, '..');

const cruiseAll = async (paths: string[]): Promise<ICruiseResult> => {
  const { output } = await cruise(paths, { ...CRUISE_OPTIONS, baseDir: ROOT });
  return (typeof output === 'string' ? JSON.parse(output) : output) as ICruiseResult;
};

const seesPlantedCircle = async (): Promise<boolean> => {
  const folder = mkdtempSync(join(ROOT, 'services', '.planted-circle-'));
  try {
    writeFileSync(join(folder, 'a.ts'), "import { b } from './b.ts';\nexport const a = (): unknown => b;\n");
    writeFileSync(join(folder, 'b.ts'), "import { a } from './a.ts';\nexport const b = (): unknown => a;\n");
    const { summary } = await cruiseAll([relative(ROOT, folder)]);
    return summary.violations.some((v) => v.rule.name === 'no-circles');
  } finally {
    rmSync(folder, { recursive: true });
  }
};

/** The cruiser does not see programs that are started by URL. */
const ADDRESS = /new URL\(\s*'(\.[^']+)',\s*import\.meta\.url/g;

const addressesOfTests = (sources: readonly string[]): readonly string[] =>
  sources.filter(isShipped).flatMap((source) =>
    [...readFileSync(join(ROOT, source), 'utf8').matchAll(ADDRESS)]
      .map(([, address = '']) => join(dirname(source), address))
      .filter((target) => ONLY_TESTS.test(target))
      .map((target) => `error: nothing-shipped-starts-tests: ${source} → ${target}`),
  );

const say = (line: string): void => void process.stdout.write(`${line}\n`);

if (!(await seesPlantedCircle())) {
  say('import rules: a circle planted on purpose was not seen; the checker is blind');
  process.exit(1);
}
const { modules, summary } = await cruiseAll(['services', 'scripts']);
const sources = modules
  .filter((m) => !m.source.includes('node_modules') && !m.coreModule)
  .map((m) => m.source);
const own = sources.length;
const addresses = addressesOfTests(sources);
for (const address of addresses) say(address);
for (const { rule, from, to } of summary.violations) say(`${rule.severity}: ${rule.name}: ${from} → ${to}`);
if (own < MODULES_MIN) say(`import rules: only ${own} modules were read`);
const errors = summary.error + addresses.length;
say(`import rules: ${own} modules, ${errors} errors`);
process.exit(errors > 0 || own < MODULES_MIN ? 1 : 0);
