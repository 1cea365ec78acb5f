/**
 * How long a test waits for what other processes, engines and disks bring about. Far above what it takes: a test must not
 * fail because others use the processors.
 */
export const PATIENCE = { timeout: 60_000 };
