/** For a wallet that was not indexed until somebody asked. */
export const BEING_READ = 'Its history is being read from the chain: ask again in a minute.';

/** For a wallet that was read, but whose chain's nodes did not give all of it. */
export const READ_IN_PART = 'What nodes of its chain told of it is indexed, which is not all that happened.';
