import { inTurn } from '../../in-turn.ts';
import type { WarehouseClient } from '../warehouse.ts';

/** No connection, or one that ended before the answer. */
const AWAY = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'],
  ...['ENOTFOUND', 'EAI_AGAIN'],
]);

const isAway = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  // One of all addresses of a host name.
  if (error instanceof AggregateError) return error.errors.every(isAway);
  return 'code' in error && AWAY.has(String(error.code));
};

/**
 * One client of servers that hold the same tables. A request whose server is away is sent to the next one. It may
 * run twice then: our statements say the same when repeated, and a repeated insert is dropped by its token. A
 * body that is sent as a stream is not sent again; its caller repeats it.
 */
export const askServersInTurn = (
  clients: readonly [WarehouseClient, ...WarehouseClient[]],
): WarehouseClient => {
  const [client] = clients;
  if (clients.length === 1) return client;
  const [first, ...others] = clients.map(methodsOf);
  const ask = inTurn([first ?? methodsOf(client), ...others], isAway);
  const query: Methods['query'] = async (asked) => {
    const open = (server: Methods) => server.query(asked);
    return readAgain(await ask(open), (read) => ask(async (server) => read(await open(server))));
  };
  return Object.assign(client, {
    query,
    command: (asked) => ask((server) => server.command(asked)),
    insert: (asked) => ask((server) => server.insert(asked), { isRepeatable: Array.isArray(asked.values) }),
    exec: (asked) => ask((server) => server.exec(asked), { isRepeatable: !('values' in asked) }),
    ping: (asked) =>
      ask(async (server) => {
        const answer = await server.ping(asked);
        if (!answer.success && isAway(answer.error)) throw answer.error;
        return answer;
      }).catch((error: Error) => ({ success: false, error })),
    close: async () => {
      await Promise.all([first, ...others].map((server) => server?.close()));
    },
  } satisfies Partial<Methods>);
};

type ReadWhole = { json(): Promise<unknown>; text(): Promise<string> };

/** A server may go away when it has begun its answer. Where that is read as a whole, the servers are asked again. */
const readAgain = <Answer extends ReadWhole>(
  answer: Answer,
  ask: <Read>(read: (answer: Answer) => Promise<Read>) => Promise<Read>,
): Answer => {
  const [json, text] = [answer.json.bind(answer), answer.text.bind(answer)];
  const unlessAway =
    <Read>(read: (answer: Answer) => Promise<Read>) =>
    (error: unknown) => {
      if (!isAway(error)) throw error;
      return ask(read);
    };
  return Object.assign(answer, {
    json: () => json().catch(unlessAway((other) => other.json())),
    text: () => text().catch(unlessAway((other) => other.text())),
  });
};

type Methods = Pick<WarehouseClient, 'query' | 'command' | 'insert' | 'exec' | 'ping' | 'close'>;

/** As they are before they are replaced. */
const methodsOf = (client: WarehouseClient): Methods => ({
  query: client.query.bind(client) as Methods['query'],
  command: client.command.bind(client),
  insert: client.insert.bind(client),
  exec: client.exec.bind(client) as Methods['exec'],
  ping: client.ping.bind(client),
  close: client.close.bind(client),
});
