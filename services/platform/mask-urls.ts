const URL_PATTERN = /\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>\\`]+/gi;
const MASK = '***';
/** Providers put keys into the path, where only their length tells them from words. */
const KEY_SEGMENT = /^(?=.*\d)[\w-]{16,}$/;

const maskUrl = (text: string): string => {
  if (!URL.canParse(text)) return text.replace(/\/\/[^/]*@/, `//${MASK}@`);
  const url = new URL(text);
  const credentials = url.username !== '' || url.password !== '' ? `${MASK}@` : '';
  const path = url.pathname
    .split('/')
    .map((segment) => (KEY_SEGMENT.test(segment) ? MASK : segment))
    .join('/');
  const names = [...url.searchParams.keys()].map((name) => `${name}=${MASK}`);
  const query = names.length > 0 ? `?${names.join('&')}` : '';
  return `${url.protocol}//${credentials}${url.host}${path}${query}`;
};

/** Takes user names, passwords, query values and keys in paths out of all URLs in a text. */
export const maskUrls = (text: string): string =>
  text.includes('://') ? text.replace(URL_PATTERN, maskUrl) : text;
