import type { Command } from 'commander';

/** Each command is loaded when it is called. Loading all would take three times as long as most of them. */
export const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  start: async () => (await import('./commands/start.ts')).startCommand(),
  analyze: async () => (await import('./commands/analyze.ts')).analyzeCommand(),
  follow: async () => (await import('./commands/follow.ts')).followCommand(),
  trace: async () => (await import('./commands/trace.ts')).traceCommand(),
  retrace: async () => (await import('./commands/retrace.ts')).retraceCommand(),
  insiders: async () => (await import('./commands/insiders.ts')).insidersCommand(),
  victims: async () => (await import('./commands/victims.ts')).victimsCommand(),
  tx: async () => (await import('./commands/tx.ts')).txCommand(),
  decode: async () => (await import('./commands/decode.ts')).decodeCommand(),
  replay: async () => (await import('./commands/replay.ts')).replayCommand(),
  ingest: async () => (await import('./commands/ingest.ts')).ingestCommand(),
  labels: async () => (await import('./commands/labels.ts')).labelsCommand(),
  prices: async () => (await import('./commands/prices.ts')).pricesCommand(),
  rebuild: async () => (await import('./commands/rebuild.ts')).rebuildCommand(),
  doctor: async () => (await import('./commands/doctor.ts')).doctorCommand(),
  accounts: async () => (await import('./commands/accounts.ts')).accountsCommand(),
  keys: async () => (await import('./commands/keys.ts')).keysCommand(),
  ledger: async () => (await import('./commands/ledger.ts')).ledgerCommand(),
  payments: async () => (await import('./commands/payments.ts')).paymentsCommand(),
  mcp: async () => (await import('./commands/mcp.ts')).mcpCommand(),
  sql: async () => (await import('./commands/sql.ts')).sqlCommand(),
  'sql-login': async () => (await import('./commands/sql-login.ts')).sqlLoginCommand(),
  topics: async () => (await import('./commands/topics.ts')).topicsCommand(),
};
