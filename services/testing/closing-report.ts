import type { Reporter, TestCase, TestModule } from 'vitest/node';

const casesOf = (modules: readonly TestModule[]): TestCase[] =>
  modules.flatMap((m) => [...m.children.allTests()]);

/**
 * The last lines of a test run: what was left out, by name (the name says why), and one plain line of counts. A suite
 * that could not run must never look like one that passed.
 */
export class ClosingReport implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const cases = casesOf(modules);
    const inState = (state: string) => cases.filter((c) => c.result().state === state);
    const skipped = inState('skipped');
    const broken = modules.filter((m) => m.errors().length > 0).length;
    const suites = Map.groupBy(skipped, (c) => (c.parent.type === 'suite' ? c.parent.fullName : c.fullName));
    const lines = [...suites].map(([name, tests]) => `not run: ${name} (${tests.length})`);
    const failed = inState('failed').length + broken;
    lines.push(`${inState('passed').length} passed, ${failed} failed, ${skipped.length} skipped`);
    process.stdout.write(`\n${lines.join('\n')}\n`);
  }
}
