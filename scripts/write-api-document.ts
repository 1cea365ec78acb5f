import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { API_DOCUMENT, API_GUIDE, describeApi, readExamples } from '../services/api/contract/describe-api.ts';
import { fillGuide } from '../services/api/contract/fill-guide.ts';
import { markOrigin, SDK_TYPES } from '../services/api/contract/mark-origin.ts';

const place = (path: string) => fileURLToPath(new URL(path, import.meta.url));

// `npm run generate`: regenerates everything that follows from the definitions of requests and answers.
const examples = readExamples();
const document = describeApi(examples);
writeFileSync(API_DOCUMENT, `${JSON.stringify(document, null, 2)}\n`);
writeFileSync(API_GUIDE, fillGuide(readFileSync(API_GUIDE, 'utf8'), document as never, examples));
execFileSync('npm', ['ci', '--silent', '--prefix', place('client-types')], { stdio: 'inherit' });
const types = fileURLToPath(SDK_TYPES);
execFileSync(
  place('client-types/node_modules/.bin/openapi-typescript'),
  [fileURLToPath(API_DOCUMENT), '--output', types],
  { stdio: 'inherit' },
);
writeFileSync(types, markOrigin(readFileSync(types, 'utf8'), readFileSync(API_DOCUMENT, 'utf8')));
