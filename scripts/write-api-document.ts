import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { API_DOCUMENT, API_GUIDE, describeApi, readExamples } from '../services/api/contract/describe-api.ts';
import { fillGuide } from '../services/api/contract/fill-guide.ts';

const place = (path: string) => fileURLToPath(new URL(path, import.meta.url));

// `npm run generate`: writes anew what follows from the definitions of requests and answers.
const examples = readExamples();
const document = describeApi(examples);
writeFileSync(API_DOCUMENT, `${JSON.stringify(document, null, 2)}\n`);
writeFileSync(API_GUIDE, fillGuide(readFileSync(API_GUIDE, 'utf8'), document as never, examples));
execFileSync('npm', ['ci', '--silent', '--prefix', place('client-types')], { stdio: 'inherit' });
execFileSync(
  place('client-types/node_modules/.bin/openapi-typescript'),
  [fileURLToPath(API_DOCUMENT), '--output', place('../services/sdk/api.d.ts')],
  { stdio: 'inherit' },
);
