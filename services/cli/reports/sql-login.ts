/** The login and address for SQL tools. */
export type SqlLogin = {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
};

/** Parses `http://user:password@host:port/?database=name`. */
export const parseSqlLogin = (address: string): SqlLogin => {
  const url = new URL(address);
  return {
    host: url.hostname,
    port: Number(url.port),
    user: url.username,
    password: decodeURIComponent(url.password),
    database: url.searchParams.get('database') ?? '',
  };
};

/** Ready lines that connect analysts' tools. */
export const describeSqlLogin = (login: SqlLogin): string => {
  const { host, port, user, password, database } = login;
  const { curl, python, jdbc, grafana } = connectionsOf(login);
  return `Address   http://${host}:${port}
User      ${user}
Password  ${password}
Database  ${database}
The password and the port are new at every start.

curl      ${curl}
Python    ${python}
JDBC      ${jdbc}
Grafana   ${grafana}
`;
};

export const connectionsOf = ({ host, port, user, password, database }: SqlLogin) => ({
  curl: `curl -s -u ${user}:${password} 'http://${host}:${port}/?database=${database}' --data-binary 'SELECT count() FROM transfers'`,
  python: `clickhouse_connect.get_client(host='${host}', port=${port}, username='${user}', password='${password}', database='${database}')`,
  jdbc: `jdbc:clickhouse://${host}:${port}/${database}?user=${user}&password=${password}`,
  grafana: `server ${host}, port ${port}, protocol HTTP, user ${user}, password ${password}, default database ${database}`,
});
