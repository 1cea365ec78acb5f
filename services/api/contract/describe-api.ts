import { readFileSync } from 'node:fs';
import { CHAINS } from '../../investigate/model/chain.ts';
import { programVersion } from '../../platform/program-version.ts';
import { createApiDocument } from './create-document.ts';
import type { Examples } from './operation.ts';
import { listOperations } from './operations.ts';

/** The published document, with every possible route and chain. */
export const API_DOCUMENT = new URL('../../../schemas/openapi.json', import.meta.url);
/** The guide for callers. Parts of it are generated. */
export const API_GUIDE = new URL('../../../docs/api.md', import.meta.url);
/** Real answers of the generated world 1, by operation. */
export const EXAMPLES = new URL('../../../schemas/examples.json', import.meta.url);

export const readExamples = (): Examples => JSON.parse(readFileSync(EXAMPLES, 'utf8')) as Examples;

export const describeApi = (examples: Examples) =>
  createApiDocument({
    operations: listOperations(
      { chains: CHAINS.map(({ name }) => name), clock: { nowUnixMs: () => 0 } },
      { hasAccounts: true },
    ),
    version: programVersion(),
    examples,
    url: null,
  });
