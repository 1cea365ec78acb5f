/** The database of the tables; never the engine's `default`, through which files can be read. */
export const DATABASE = 'spoor';

/** On a server that several stores share: what is real and what is generated never lie in one database. */
export const serverDatabaseOf = (store: 'chain' | `world-${number}`): string =>
  store === 'chain' ? DATABASE : `${DATABASE}_${store.replace('-', '_')}`;
