/**
 * Holds the rules of who may know whom. Fails where a rule is broken, where hardly anything was read, or where a
 * circle planted on purpose is not seen: a checker that sees nothing must not say that all is well.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import { CRUISE_OPTIONS } from './import-rules.ts';

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

const say = (line: string): void => void process.stdout.write(`${line}\n`);

if (!(await seesPlantedCircle())) {
  say('import rules: a circle planted on purpose was not seen; the checker is blind');
  process.exit(1);
}
const { modules, summary } = await cruiseAll(['services', 'scripts']);
const own = modules.filter((m) => !m.source.includes('node_modules') && !m.coreModule).length;
for (const { rule, from, to } of summary.violations) say(`${rule.severity}: ${rule.name}: ${from} → ${to}`);
if (own < MODULES_MIN) say(`import rules: only ${own} modules were read`);
say(`import rules: ${own} modules, ${summary.error} errors`);
process.exit(summary.error > 0 || own < MODULES_MIN ? 1 : 0);
