import { ConfigError, loadConfig } from './platform/config/config.ts';
import { showableLines } from './platform/showable.ts';
import { ROLES } from './roles/service-process.ts';
import { startService } from './roles/start-service.ts';

try {
  await startService(loadConfig(process.env), ROLES);
} catch (error) {
  // Before anything runs there is nothing to close in order; what to do about it is in the message.
  const known = error instanceof ConfigError || (error instanceof Error && 'code' in error);
  const text = known ? (error as Error).message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`spoor: ${showableLines(text ?? '')}\n`);
  process.exit(1);
}
