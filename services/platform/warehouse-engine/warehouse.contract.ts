import { afterAll, beforeAll, describe } from 'vitest';
import { describeDoors } from './contract/doors.ts';
import { describeInserts } from './contract/inserts.ts';
import { describeQuestions } from './contract/questions.ts';
import { describeReaderWalls } from './contract/reader-walls.ts';
import { createSuite, type StartedWarehouse, type Suite } from './contract/suite.ts';

/** The contract of every engine behind the Warehouse port. */
export function describeWarehouse(name: string, start: () => Promise<StartedWarehouse>): void {
  describe(`the ${name} warehouse`, () => {
    let suite: Suite | undefined;
    beforeAll(async () => {
      suite = createSuite(await start());
    });
    afterAll(async () => {
      await suite?.started.stop();
    });
    const running = (): Suite => {
      if (!suite) throw new Error('the engine did not start');
      return suite;
    };
    describeQuestions(running);
    describeInserts(running);
    describeReaderWalls(running);
    describeDoors(running);
  });
}
