import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { Command } from 'commander';
import { listOperations } from '../../api/contract/operations.ts';
import { CHAINS } from '../../investigate/model/chain.ts';
import { callServer } from '../../mcp/call-route.ts';
import { prepareMcpServers } from '../../mcp/prepare-mcp-servers.ts';
import { systemClock } from '../../platform/clock.ts';
import { programVersion } from '../../platform/program-version.ts';
import { example } from '../example.ts';
import { chooseServer, type ServerOptions, withServerOptions } from '../server-options.ts';

const CONFIGURATION = `
In the configuration of an MCP client:
  { "command": "npx", "args": ["spoor", "mcp"], "env": { "SPOOR_URL": "https://spoor.example", "SPOOR_KEY": "…" } }`;

/** `spoor mcp`: the questions as tools of the Model Context Protocol, over stdin and stdout. */
export const mcpCommand = (): Command =>
  withServerOptions(
    new Command('mcp').description(
      'Serve the questions as MCP tools over stdin and stdout, answered by a running server.',
    ),
  )
    .addHelpText('after', example('spoor mcp --url https://spoor.example'))
    .addHelpText('after', CONFIGURATION)
    .action(({ key, ...options }: ServerOptions) => {
      const url = chooseServer(options);
      const chains = CHAINS.map(({ name }) => name);
      const operations = listOperations({ chains, clock: systemClock }, { hasAccounts: false });
      const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
      const version = programVersion();
      const createServer = prepareMcpServers({ operations, version });
      serveStdio(() => createServer({ headers, callRoute: callServer(url) }), {
        // stdout belongs to the protocol.
        onerror: (error) => process.stderr.write(`spoor mcp: ${error.message}\n`),
      });
    });
