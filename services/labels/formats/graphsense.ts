import { isScalar, parseDocument, visit } from 'yaml';
import { z } from 'zod';
import { limitWork } from '../../platform/limit-work.ts';
import { readTime } from '../../platform/read-time.ts';
import type { LabelRow } from '../rules/check-row.ts';
import { LabelFileError, type LabelFormat, type ReadRow } from './label-format.ts';

const TEXT = z.string();
// Other fields are dropped: a header with many would be copied for each tag.
const TAG = z.object({
  address: TEXT.optional(),
  label: TEXT.optional(),
  currency: TEXT.optional(),
  network: TEXT.optional(),
  source: TEXT.optional(),
  category: TEXT.optional(),
  abuse: TEXT.optional(),
  actor: TEXT.optional(),
  concepts: z.array(TEXT).optional(),
  confidence: TEXT.optional(),
  lastmod: TEXT.optional(),
});
type Tag = z.infer<typeof TAG>;
const PACK = TAG.extend({
  title: TEXT,
  creator: TEXT.default(''),
  tags: z.array(z.unknown()).optional(),
  actors: z.array(z.unknown()).optional(),
});

/** Large packs take seconds, but a hostile YAML file can take hours. */
const YAML_MS_MAX = 60_000;

/** Confidence in a tag's evidence, from 1 (the ledger, an authority, the owner) down to a web page. */
const CONFIDENCES: ReadonlyMap<string, number> = new Map([
  ['ownership', 1],
  ['ledger_immanent', 1],
  ['override', 1],
  ['authority_data', 0.95],
  ['manual_transaction', 0.9],
  ['service_api', 0.9],
  ['service_data', 0.9],
  ['trusted_provider', 0.85],
  ['forensic', 0.8],
  ['web_crawl', 0.6],
  ['untrusted_transaction', 0.5],
  ['heuristic', 0.4],
]);
const UNKNOWN_CONFIDENCE = 0.5;

/**
 * GraphSense TagPacks (https://github.com/graphsense/graphsense-tagpacks/wiki/GraphSense-TagPacks): YAML whose
 * header holds what its tags share. An actor pack has no addresses, so its actors are refused one by one.
 */
export const graphsense: LabelFormat = {
  name: 'graphsense',
  describe: 'GraphSense TagPacks (YAML)',
  async *read(file) {
    const { tags, actors, ...header } = parsePack(file.path, await file.text());
    const source = file.options.source ?? 'graphsense';
    for (const [index, tag] of (tags ?? []).entries())
      yield toRow(tag, header, { where: `tag ${index + 1}`, source, creator: header.creator });
    for (const index of (actors ?? []).keys())
      yield {
        refusal: { where: `actor ${index + 1}`, address: '', code: 'no_address', reason: 'says no address' },
      };
  },
};

const parsePack = (path: string, text: string): z.infer<typeof PACK> => {
  try {
    // Everything is read as text: an unquoted address would become a number.
    const pack = PACK.parse(limitWork(() => parseYaml(text), YAML_MS_MAX));
    if (pack.tags === undefined && pack.actors === undefined)
      throw new Error('it has neither tags nor actors');
    return pack;
  } catch (cause) {
    throw new LabelFileError(path, `is not a TagPack: ${reasonOf(cause)}`, { cause });
  }
};

const parseYaml = (text: string): unknown => {
  // The library compares every key of a map with every other one.
  const document = parseDocument(text, { schema: 'failsafe', uniqueKeys: false });
  const [error] = document.errors;
  if (error) throw error;
  visit(document, {
    Map: (_, map) => {
      const keys = new Set<unknown>();
      for (const { key } of map.items) {
        const name = isScalar(key) ? key.value : key;
        if (keys.has(name)) throw new Error(`Map keys must be unique: ${String(name)} is there twice`);
        keys.add(name);
      }
    },
  });
  return document.toJS({ maxAliasCount: 100 });
};

const reasonOf = (cause: unknown): string => {
  const [issue] = cause instanceof z.ZodError ? cause.issues : [];
  if (issue) return [...issue.path, issue.message].join(': ');
  return cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : String(cause);
};

const toRow = (
  raw: unknown,
  header: Tag & { readonly title: string },
  common: Pick<LabelRow, 'where' | 'source' | 'creator'>,
): ReadRow => {
  const parsed = TAG.safeParse(raw);
  if (!parsed.success) {
    const reason = 'is not a tag: address, label and so on as text';
    return { refusal: { where: common.where, address: '', code: 'unreadable', reason } };
  }
  const tag = { ...header, ...parsed.data };
  const words = [tag.abuse, tag.category, ...(tag.concepts ?? [])];
  return {
    row: {
      ...common,
      chain: tag.network ?? tag.currency ?? '',
      address: tag.address ?? '',
      name: tag.label ?? header.title,
      categories: words.filter((word) => word !== undefined),
      entity: (tag.actor ?? '').replaceAll('_', '-'),
      confidence: CONFIDENCES.get(tag.confidence ?? '') ?? UNKNOWN_CONFIDENCE,
      evidence: tag.source ?? '',
      assertedAt: readTime(tag.lastmod ?? ''),
    },
  };
};
