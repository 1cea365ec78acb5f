/** Said of a wallet of which nothing was indexed until somebody asked. */
export const BEING_READ = 'Its history is being read from the chain: ask again in a minute.';
