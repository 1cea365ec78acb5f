/** The tables' database; never the engine's `default`, which can read files. */
export const DATABASE = 'spoor';

/** On a shared server, real and generated data use different databases. */
export const serverDatabaseOf = (store: 'chain' | `world-${number}`): string =>
  store === 'chain' ? DATABASE : `${DATABASE}_${store.replace('-', '_')}`;
