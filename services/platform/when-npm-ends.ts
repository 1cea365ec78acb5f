const STARTED_BY = ['start', 'npx'];
const LOOK_FOR_PARENT_MS = 500;

/**
 * npm does not always pass on the signal that ends it, and an orphaned process would keep holding the tables.
 */
export const whenNpmEnds = (stop: () => void): void => {
  if (!STARTED_BY.includes(process.env.npm_lifecycle_event ?? '')) return;
  const parent = process.ppid;
  const looking = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(looking);
    stop();
  }, LOOK_FOR_PARENT_MS).unref();
};
