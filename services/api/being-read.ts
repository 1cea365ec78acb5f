/** Said of a wallet of which nothing was indexed until somebody asked. */
export const BEING_READ = 'Its history is being read from the chain: ask again in a minute.';

/** Said of one that was read, where its chain's nodes did not tell it whole. */
export const READ_IN_PART = 'What nodes of its chain told of it is indexed, which is not all that happened.';
