import { createHash } from 'node:crypto';

/** The SDK's types, which `npm run generate` makes from the API document. */
export const SDK_TYPES = new URL('../../sdk/api.d.ts', import.meta.url);

const MARK = /^\/\/ Made from schemas\/openapi\.json .*\n/;

/** Adds a first line that names the document. */
export const markOrigin = (types: string, document: string): string => {
  const hash = createHash('sha256').update(document).digest('hex');
  return `// Made from schemas/openapi.json ${hash}\n${types.replace(MARK, '')}`;
};
