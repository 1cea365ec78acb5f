/** `Fake_Phishing12` → `fake phishing12`: lower case, one space between words. */
export const spaced = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, ' ')
    .trim();

/** Whether a `spaced` text contains this word, or these consecutive words. */
export const hasWord = (text: string, word: string): boolean => ` ${text} `.includes(` ${word} `);
