/** Works on the jobs of a folder until it is killed, with made-up traces, and says what it does. */
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../platform/clock.ts';
import { workOnJobs } from '../../retrace/work-on-jobs.ts';
import { madeUpResult } from './made-up-traces.ts';
import { openJobEngine } from './open-job-engine.ts';

const [folder = ''] = process.argv.slice(2);
const { log, codec, jobLedger } = await openJobEngine({ folder, kafka: null });
process.stdout.write('ready\n');
await workOnJobs(
  {
    ...{ log, codec, clock: systemClock },
    ledger: {
      ...jobLedger,
      charge: (call) => {
        process.stdout.write('charging\n');
        return jobLedger.charge(call);
      },
    },
    trace: async (anchors) => {
      await sleep(30);
      process.stdout.write('traced\n');
      return anchors.map((anchor) => madeUpResult(anchor));
    },
    onError: (error) => process.stderr.write(`${String(error)}\n`),
  },
  new AbortController().signal,
);
