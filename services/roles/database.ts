/** The database of the tables; never the engine's `default`, through which files can be read. */
export const DATABASE = 'spoor';
