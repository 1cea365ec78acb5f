import { Command } from 'commander';
import { type Config, loadConfig } from '../../platform/config/config.ts';
import { connectEmbeddedWarehouse } from '../../platform/warehouse-engine/embedded/start-embedded-warehouse.ts';
import { chooseStore } from '../../roles/store/choose-store.ts';
import { storeFolder, warehouseFolderOf } from '../../roles/store/open-store.ts';
import { example } from '../example.ts';
import { connectionsOf, describeSqlLogin, parseSqlLogin } from '../reports/sql-login.ts';

class ServerElsewhereError extends Error {
  readonly code = 'server_elsewhere';
  constructor() {
    super(
      'the tables lie on the server of CLICKHOUSE_URL: log in there as the user analyst, with the password that the server was given (SPOOR_CLICKHOUSE_ANALYST_PASSWORD)',
    );
    this.name = 'ServerElsewhereError';
  }
}

/** `spoor sql-login`: prints how analysts' tools connect to a running service. */
export const sqlLoginCommand = (): Command =>
  new Command('sql-login')
    .description('Print address, user and password for SQL tools, while the service runs.')
    .option('--json', 'one JSON line on stdout')
    .addHelpText('after', example('spoor sql-login'))
    .action(async ({ json }: { json?: boolean }) => {
      const login = parseSqlLogin(await findAddress(loadConfig(process.env)));
      process.stdout.write(
        json
          ? `${JSON.stringify({ name: 'sql-login', ...login, ...connectionsOf(login) })}\n`
          : describeSqlLogin(login),
      );
    });

/** Throws `WarehouseUnavailableError` if no service runs here. */
const findAddress = async (config: Config): Promise<string> => {
  if (config.clickhouse) throw new ServerElsewhereError();
  const folder = warehouseFolderOf(storeFolder(config.dataFolder, chooseStore(config)));
  const warehouse = await connectEmbeddedWarehouse({ folder });
  await warehouse.close();
  return warehouse.analystUrl;
};
