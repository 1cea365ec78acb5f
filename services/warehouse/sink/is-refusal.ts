// ClickHouse's own numbers for "not now": time, memory, load, network, a replica or table that is only read just now.
const TRANSIENT = new Set([
  159, 164, 202, 203, 209, 210, 225, 236, 241, 242, 243, 252, 279, 319, 394, 425, 439, 999,
]);

/** Whether the engine answered that it will never take this, as opposed to not now or not at all. */
export const isRefusal = (error: unknown): boolean => {
  if (!(error instanceof Error) || error.name !== 'ClickHouseError' || !('code' in error)) return false;
  const code = Number(error.code);
  return Number.isInteger(code) && !TRANSIENT.has(code);
};
