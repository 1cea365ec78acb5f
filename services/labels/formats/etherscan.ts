import { basename } from 'node:path';
import { z } from 'zod';
import { LabelFileError, type LabelFormat } from './label-format.ts';

const CONFIDENCE = 0.8;
const PAGE = 'https://etherscan.io/accounts/label/';

const NAMES = z.record(z.string(), z.string());
const NAMES_WITH_LABELS = z.record(
  z.string(),
  z.object({ name: z.string().nullable().default(''), labels: z.array(z.string()) }),
);

/**
 * Dumps of Etherscan's label cloud: `{address: name}` in a file named after its label, or `{address: {name, labels}}` of
 * all together. The chain is ethereum unless the command line says otherwise.
 */
export const etherscan: LabelFormat = {
  name: 'etherscan',
  describe: "dumps of an explorer's label cloud (JSON)",
  async *read(file) {
    const { chain = 'ethereum', source = 'etherscan' } = file.options;
    const slug = basename(file.path).replace(/\.json(\.gz)?$/, '');
    for (const [index, [address, name, labels]] of parse(file.path, slug, await file.text()).entries()) {
      yield {
        row: {
          where: `entry ${index + 1}`,
          chain,
          address,
          name,
          categories: labels,
          source,
          creator: 'Etherscan',
          confidence: CONFIDENCE,
          evidence: labels[0] === undefined ? '' : PAGE + labels[0],
          assertedAt: null,
        },
      };
    }
  },
};

type Entry = readonly [address: string, name: string, labels: readonly string[]];

const parse = (path: string, slug: string, text: string): Entry[] => {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new LabelFileError(path, 'is not JSON', { cause });
  }
  const names = NAMES.safeParse(json);
  if (names.success) return Object.entries(names.data).map(([address, name]) => [address, name, [slug]]);
  const labelled = NAMES_WITH_LABELS.safeParse(json);
  if (!labelled.success)
    throw new LabelFileError(path, 'is neither {address: name} nor {address: {name, labels}}');
  return Object.entries(labelled.data).map(([address, { name, labels }]) => [address, name ?? '', labels]);
};
