/** The source name of the shipped lists. No imported list may use it. */
export const CURATED_SOURCE = 'curated';
