import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** They wait for minutes until a whole world is derived from: run last, nothing would use the processors meanwhile. */
const WAITING = ['world-one.long.test.ts', 'roles.broker.long.test.ts'];

const waits = ({ moduleId }: TestSpecification): boolean => WAITING.some((name) => moduleId.endsWith(name));

/** Without the durations of an earlier run vitest starts with the largest files. */
export class LongestWaitsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const byProject = Map.groupBy(sorted, ({ project }) => project.name);
    return [...byProject.values()].flatMap((of) => [
      ...of.filter(waits),
      ...of.filter((each) => !waits(each)),
    ]);
  }
}
