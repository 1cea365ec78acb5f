import type { Reporter, TestCase, TestModule, TestSuite } from 'vitest/node';

const casesOf = (modules: readonly (TestModule | TestSuite)[]): TestCase[] =>
  modules.flatMap((m) => [...m.children.allTests()]);

const stateOf = (each: TestCase): string => each.result().state;

/** A suite that was left out as a whole goes by its own name, a test of one that ran by its own, with its reason. */
const nameOf = (left: TestCase): string => {
  const { parent } = left;
  if (parent.type === 'suite' && casesOf([parent]).every((each) => stateOf(each) === 'skipped'))
    return parent.fullName;
  const result = left.result();
  const note = result.state === 'skipped' ? result.note : undefined;
  return note === undefined ? left.fullName : `${left.fullName}: ${note}`;
};

/** The files of a long run that took longest: where its time goes. */
const SLOWEST_SHOWN = 12;
const SLOW_MS = 10_000;

const tookMs = (file: TestModule): number => {
  const { setupDuration, collectDuration, duration } = file.diagnostic();
  return setupDuration + collectDuration + duration;
};

const slowestOf = (modules: readonly TestModule[]): string[] =>
  modules
    .map((file) => ({ name: file.relativeModuleId, ms: tookMs(file) }))
    .filter(({ ms }) => ms > SLOW_MS)
    .sort((a, b) => b.ms - a.ms)
    .slice(0, SLOWEST_SHOWN)
    .map(({ name, ms }) => `took ${Math.round(ms / 1_000)} s: ${name}`);

/**
 * The last lines of a test run: which files took longest, what was left out, by name and reason, and one plain line of
 * counts. A suite that could not run must never look like one that passed.
 */
export class ClosingReport implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const cases = casesOf(modules);
    const inState = (state: string) => cases.filter((each) => stateOf(each) === state);
    const skipped = inState('skipped');
    const broken = modules.filter((m) => m.errors().length > 0).length;
    const lines = [...Map.groupBy(skipped, nameOf)].map(
      ([name, tests]) => `not run: ${name} (${tests.length})`,
    );
    const failed = inState('failed').length + broken;
    lines.push(`${inState('passed').length} passed, ${failed} failed, ${skipped.length} skipped`);
    process.stdout.write(`\n${[...slowestOf(modules), ...lines].join('\n')}\n`);
  }
}
