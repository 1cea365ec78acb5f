/** The name of our own lists as a source. No list that is imported may have it. */
export const CURATED_SOURCE = 'curated';
