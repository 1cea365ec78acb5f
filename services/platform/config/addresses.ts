/** Of servers that stand for one another. */
export type Addresses = readonly [string, ...string[]];

/** Separated by commas; a comma in a password separates nothing. */
export const addressesOf = (text: string | undefined): Addresses | undefined => {
  if (text === undefined) return undefined;
  const [first = '', ...others] = text.split(/\s*,\s*(?=https?:)/);
  return [first, ...others];
};
