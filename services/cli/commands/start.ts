import { Argument, Command } from 'commander';
import { loadConfig } from '../../platform/config/config.ts';
import { ROLES, type Role } from '../../roles/service-process.ts';
import { startService } from '../../roles/start-service.ts';
import { example } from '../example.ts';

/** `spoor start [ROLE…]`: runs the service, or some roles, until stopped. */
export const startCommand = (): Command =>
  new Command('start')
    .description('Start roles of the service in this process; without any, all of them.')
    .addArgument(new Argument('[roles...]', 'what this process does').choices(ROLES))
    .addHelpText(
      'after',
      '\nRoles in processes of their own meet in the event log (KAFKA_BROKERS, SCHEMA_REGISTRY_URL, or the files in\n' +
        'SPOOR_DATA), and need the same SPOOR_CHAINS. The role api reads the tables that the role sink owns.',
    )
    .addHelpText('after', example('spoor start', 'spoor start ingest-solana ingest-evm'))
    .action((roles: Role[]) => startService(loadConfig(process.env), roles.length > 0 ? roles : ROLES));
