import sax from 'sax';
import type { LabelRow } from '../rules/check-row.ts';
import { type LabelFile, LabelFileError, type LabelFormat } from './label-format.ts';

const CURRENCY = /^Digital Currency Address - (\w+)$/;
const LIST = 'https://sanctionslist.ofac.treas.gov/Home/SdnList';
/** The list has some hundred addresses; far more would be another kind of file. */
const ADDRESSES_MAX = 1_000_000;

/**
 * OFAC's own list, `sdn_advanced.xml` (over 100 MB), read as a stream. Addresses are features of a profile; names come
 * before them, the dates of designation behind them all, so that rows are given at the end.
 */
export const ofacAdvanced: LabelFormat = {
  name: 'ofac',
  describe: "OFAC's sdn_advanced.xml, with names and dates of designation",
  async *read(file) {
    const { addresses, designatedAt } = await parse(file);
    for (const [at, { address, currency, profile, name }] of addresses.entries()) {
      const row: LabelRow = {
        at: `address ${at + 1}`,
        chain: currency,
        address,
        name: `OFAC: ${name || `profile ${profile}`}`,
        categories: ['sanctioned'],
        kind: 'sanctioned',
        source: file.options.source ?? 'ofac',
        creator: 'OFAC',
        confidence: 1,
        validFrom: designatedAt.get(profile)?.first ?? null,
        evidence: LIST,
        assertedAt: null,
      };
      const { first, last } = designatedAt.get(profile) ?? {};
      // Whoever was taken off the list between the two is on it again by the last alone.
      const again = { ...row, validFrom: last ?? null };
      yield first === last ? { row } : { row, further: [again] };
    }
  },
};

type Address = {
  readonly address: string;
  readonly currency: string;
  readonly profile: string;
  readonly name: string;
};
type Designation = { readonly first: number; readonly last: number };
type Found = { readonly addresses: Address[]; readonly designatedAt: Map<string, Designation> };

const parse = async (file: LabelFile): Promise<Found> => {
  const list = createListReader((problem) => new LabelFileError(file.path, problem));
  const parser = sax.parser(true, { trim: true });
  let failure: Error | null = null;
  parser.onopentag = (tag) => list.open(localName(tag.name), (tag as sax.Tag).attributes);
  parser.ontext = (text) => list.text(text);
  parser.onclosetag = (name) => list.close(localName(name));
  parser.onerror = (error) => {
    failure ??= error;
  };
  const decoder = new TextDecoder();
  for await (const chunk of file.open()) {
    parser.write(decoder.decode(chunk as Buffer, { stream: true }));
    if (failure) throw new LabelFileError(file.path, 'is not well-formed XML', { cause: failure });
    if (list.found.addresses.length > ADDRESSES_MAX)
      throw new LabelFileError(file.path, `has more than ${ADDRESSES_MAX} addresses`);
  }
  parser.close();
  if (failure) throw new LabelFileError(file.path, 'ends in the middle', { cause: failure });
  if (!list.isSanctionsList()) throw new LabelFileError(file.path, 'is not a list in the advanced format');
  return list.found;
};

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

/** An element may be called as what every object has: `toString`. */
const of = <T>(table: Readonly<Record<string, T>>, element: string): T | undefined =>
  Object.hasOwn(table, element) ? table[element] : undefined;

type Attributes = Readonly<Record<string, string>>;

/** Keeps what stands around the element under way, and nothing of what lies behind. */
const createListReader = (refuse: (problem: string) => LabelFileError) => {
  const found: Found = { addresses: [], designatedAt: new Map() };
  const currencies = new Map<string, string>();
  const path: string[] = [];
  let featureType = '';
  let currency: string | undefined;
  let profile = '';
  let name: string[] = [];
  let isPrimaryAlias = false;
  let entryProfile = '';
  let date = { Year: 0, Month: 1, Day: 1 };

  const opened: Readonly<Record<string, (attributes: Attributes) => void>> = {
    FeatureType: ({ ID = '' }) => {
      featureType = ID;
    },
    Profile: ({ ID = '' }) => {
      profile = ID;
      name = [];
    },
    Alias: ({ Primary }) => {
      isPrimaryAlias = Primary === 'true' && name.length === 0;
    },
    Feature: ({ FeatureTypeID = '' }) => {
      currency = currencies.get(FeatureTypeID);
    },
    SanctionsEntry: ({ ProfileID = '' }) => {
      entryProfile = ProfileID;
    },
    EntryEvent: () => {
      date = { Year: 0, Month: 1, Day: 1 };
    },
  };
  const read: Readonly<Record<string, (text: string) => void>> = {
    FeatureType: (text) => {
      const code = CURRENCY.exec(text)?.[1];
      if (code !== undefined) currencies.set(featureType, code);
    },
    NamePartValue: (text) => {
      if (isPrimaryAlias) name.push(text);
    },
    VersionDetail: (text) => {
      if (currency !== undefined)
        found.addresses.push({ address: text, currency, profile, name: name.join(' ') });
    },
  };
  const closed: Readonly<Record<string, () => void>> = {
    Feature: () => {
      currency = undefined;
    },
    Alias: () => {
      isPrimaryAlias = false;
    },
    EntryEvent: () => {
      if (date.Year === 0) return;
      const seconds = Date.UTC(date.Year, date.Month - 1, date.Day) / 1_000;
      const { first, last } = found.designatedAt.get(entryProfile) ?? { first: seconds, last: seconds };
      found.designatedAt.set(entryProfile, {
        first: Math.min(first, seconds),
        last: Math.max(last, seconds),
      });
    },
  };
  return {
    found,
    isSanctionsList: (): boolean => currencies.size > 0,
    open: (element: string, attributes: Attributes): void => {
      path.push(element);
      of(opened, element)?.(attributes);
    },
    text: (text: string): void => {
      const element = path.at(-1) ?? '';
      if (!Object.hasOwn(date, element) || !path.includes('EntryEvent')) of(read, element)?.(text);
      else if (/^\d{1,4}$/.test(text)) date = { ...date, [element]: Number(text) };
      else throw refuse(`dates a designation of profile ${entryProfile} with ${text.slice(0, 40)}`);
    },
    close: (element: string): void => {
      path.pop();
      of(closed, element)?.();
    },
  };
};
