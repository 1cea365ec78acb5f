import { readdirSync } from 'node:fs';
import { z } from 'zod';
import { LABEL_KINDS } from '../../investigate/model/label.ts';
import { readTime } from '../../platform/read-time.ts';
import type { LabelFile, LabelFormat } from '../formats/label-format.ts';
import { openLabelFile } from '../formats/open-label-file.ts';
import { CURATED_SOURCE } from '../rules/curated-source.ts';

/** Checked by hand against several public sources; less certain than the law or the ledger. */
const CONFIDENCE = 0.95;

const ENTRY = z.strictObject({
  name: z.string(),
  entity: z.string().optional(),
  kind: z.enum(LABEL_KINDS),
  category: z.string(),
  /** Mixers only: the note that a pool takes, null if it takes any amount. */
  denomination: z.string().nullable().optional(),
  /** Dates, as `2025-03-21`. */
  valid_from: z.iso.date().optional(),
  valid_to: z.iso.date().optional(),
  /** Where anybody can check it. */
  source: z.url(),
  addresses: z.record(z.string(), z.array(z.string())),
});
const CURATED = z.strictObject({ about: z.string(), labels: z.array(ENTRY) });

/** The lists that ship with the service. */
export const curatedFiles = (): LabelFile[] =>
  readdirSync(import.meta.dirname)
    .filter((name) => name.endsWith('.json'))
    .toSorted()
    .map((name) => openLabelFile(`${import.meta.dirname}/${name}`));

/** The entries of one shipped list. Throws if it is malformed, because it is part of the code. */
export const curatedEntries = async (file: LabelFile): Promise<z.infer<typeof ENTRY>[]> =>
  CURATED.parse(JSON.parse(await file.text())).labels;

/** Shipped lists: one entry for all addresses with the same statement. */
export const curated: LabelFormat = {
  name: 'curated',
  describe: 'the lists that ship with the service (JSON)',
  tellsEnds: true,
  async *read(file) {
    for (const {
      addresses,
      valid_from,
      valid_to,
      source,
      category,
      entity,
      denomination,
      ...label
    } of await curatedEntries(file)) {
      for (const [chain, list] of Object.entries(addresses)) {
        for (const address of list) {
          yield {
            row: {
              ...label,
              ...(entity === undefined ? {} : { entity }),
              where: `${label.name} on ${chain}`,
              chain,
              address,
              categories: [category, denomination ?? ''].filter((word) => word !== ''),
              source: CURATED_SOURCE,
              creator: 'Spoor',
              confidence: CONFIDENCE,
              validFrom: readTime(valid_from ?? ''),
              validTo: readTime(valid_to ?? ''),
              evidence: source,
              assertedAt: null,
            },
          };
        }
      }
    }
  },
};
