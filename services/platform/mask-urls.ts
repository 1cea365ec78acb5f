const URL_PATTERN = /\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>\\`]+/gi;
const MASK = '***';
/** A password may contain characters that end the URL in a text. */
const CREDENTIALS = /(?<=:\/\/)[^\s/"<>\\]*@/g;
/**
 * Providers put keys into the path, where only their length distinguishes them from words. Text after the URL
 * may follow.
 */
const KEY = /(?<![\w-])(?=[\w-]*\d)[\w-]{16,}/;

const maskUrl = (text: string): string => {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  const credentials = url.username !== '' ? `${MASK}@` : '';
  const path = url.pathname
    .split('/')
    .map((segment) => (KEY.test(segment) ? MASK : segment))
    .join('/');
  const names = [...url.searchParams.keys()].map((name) => `${name}=${MASK}`);
  const query = names.length > 0 ? `?${names.join('&')}` : '';
  return `${url.protocol}//${credentials}${url.host}${path}${query}`;
};

/** Removes user names, passwords, query values and keys in paths from all URLs in a text. */
export const maskUrls = (text: string): string =>
  text.includes('://') ? text.replace(CREDENTIALS, `${MASK}@`).replace(URL_PATTERN, maskUrl) : text;
