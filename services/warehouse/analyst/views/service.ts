import type { AnalystView } from '../analyst-view.ts';

export const USAGE: AnalystView = {
  name: 'usage',
  comment: 'Calls of each UTC day by all customers together; who they are is not to be seen here.',
  columns: [
    ['date', 'Date', 'UTC'],
    ['analyses', 'Int64', 'calls of /analyze'],
    ['traces', 'Int64', 'calls of /trace'],
    ['follows', 'Int64', 'calls of /follow'],
    ['insiders', 'Int64', 'calls of /insiders'],
    ['victims', 'Int64', 'calls of /victims'],
    ['failed', 'Int64', 'calls that were not answered and not charged'],
  ],
  query: (database) => `
SELECT date, sum(usage_days.analyses) AS analyses, sum(usage_days.traces) AS traces, sum(usage_days.follows) AS follows,
  sum(usage_days.insiders) AS insiders, sum(usage_days.victims) AS victims, sum(usage_days.failed) AS failed
FROM ${database}.usage_days GROUP BY date`,
};
