import sax from 'sax';
import { limitWork } from '../../platform/limit-work.ts';
import type { LabelRow } from '../rules/check-row.ts';
import { type LabelFile, LabelFileError, type LabelFormat } from './label-format.ts';

const CURRENCY = /^Digital Currency Address - (\w+)$/;
const LIST = 'https://sanctionslist.ofac.treas.gov/Home/SdnList';
/** The list has some hundred addresses; many more mean another kind of file. */
const ADDRESSES_MAX = 1_000_000;
/** Time limit for the whole file; the list takes some ten seconds. */
const XML_MS_MAX = 120_000;
/** The list nests some ten elements. */
const DEPTH_MAX = 100;

/**
 * OFAC's own list, `sdn_advanced.xml` (over 100 MB), read as a stream. Addresses are features of a profile. Names
 * come before them and dates of designation after all of them, so rows are returned at the end.
 */
export const ofacAdvanced: LabelFormat = {
  name: 'ofac',
  describe: "OFAC's sdn_advanced.xml, with names and dates of designation",
  async *read(file) {
    const { addresses, designatedAt } = await parse(file);
    for (const [index, { address, currency, profile, name }] of addresses.entries()) {
      const row: LabelRow = {
        where: `address ${index + 1}`,
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
      // A party removed between two designations is listed again only since the last one.
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
  const list = new ListReader(file.path);
  const parser = sax.parser(true, { trim: true });
  let failure: Error | null = null;
  parser.onopentag = (tag) => list.open(localName(tag.name), (tag as sax.Tag).attributes);
  parser.ontext = (text) => list.text(text);
  parser.onclosetag = (name) => list.close(localName(name));
  parser.onerror = (error) => {
    failure ??= error;
  };
  const decoder = new TextDecoder();
  let spentMs = 0;
  for await (const chunk of file.open()) {
    const beganMs = performance.now();
    limitWork(() => parser.write(decoder.decode(chunk as Buffer, { stream: true })), XML_MS_MAX - spentMs);
    spentMs += Math.ceil(performance.now() - beganMs);
    if (spentMs >= XML_MS_MAX) throw new LabelFileError(file.path, 'takes longer to read than any such list');
    if (failure) throw new LabelFileError(file.path, 'is not well-formed XML', { cause: failure });
    if (list.found.addresses.length > ADDRESSES_MAX)
      throw new LabelFileError(file.path, `has more than ${ADDRESSES_MAX} addresses`);
  }
  parser.close();
  if (failure) throw new LabelFileError(file.path, 'ends in the middle', { cause: failure });
  if (list.currencies.size === 0) throw new LabelFileError(file.path, 'is not a list in the advanced format');
  return list.found;
};

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

type Attributes = Readonly<Record<string, string>>;

/** A null-prototype map: an element may be called `toString`. */
const handlersOf = <T>(handlers: Readonly<Record<string, (said: T) => void>>) =>
  new Map(Object.entries(handlers));

const DATE_PARTS: ReadonlySet<string> = new Set(['Year', 'Month', 'Day']);

/** Keeps only the current element and its ancestors. */
class ListReader {
  readonly found: Found = { addresses: [], designatedAt: new Map() };
  readonly #listPath: string;
  /** By feature number; empty in other kinds of lists. */
  readonly currencies = new Map<string, string>();
  readonly #path: string[] = [];
  readonly #date = new Map<string, number>();
  #featureType = '';
  #currency: string | undefined;
  #profile = '';
  #name: string[] = [];
  #isPrimaryAlias = false;
  #entryProfile = '';

  constructor(listPath: string) {
    this.#listPath = listPath;
  }

  open(element: string, attributes: Attributes): void {
    if (this.#path.push(element) > DEPTH_MAX)
      throw new LabelFileError(this.#listPath, `nests more than ${DEPTH_MAX} elements`);
    this.#opened.get(element)?.(attributes);
  }

  text(text: string): void {
    const element = this.#path.at(-1) ?? '';
    if (DATE_PARTS.has(element) && this.#path.includes('EntryEvent')) this.#readDate(element, text);
    else this.#read.get(element)?.(text);
  }

  close(element: string): void {
    this.#path.pop();
    this.#closed.get(element)?.();
  }

  readonly #opened = handlersOf<Attributes>({
    FeatureType: ({ ID = '' }) => {
      this.#featureType = ID;
    },
    Profile: ({ ID = '' }) => {
      this.#profile = ID;
      this.#name = [];
    },
    Alias: ({ Primary }) => {
      this.#isPrimaryAlias = Primary === 'true' && this.#name.length === 0;
    },
    Feature: ({ FeatureTypeID = '' }) => {
      this.#currency = this.currencies.get(FeatureTypeID);
    },
    SanctionsEntry: ({ ProfileID = '' }) => {
      this.#entryProfile = ProfileID;
    },
    EntryEvent: () => this.#date.clear(),
  });

  readonly #read = handlersOf<string>({
    FeatureType: (text) => {
      const code = CURRENCY.exec(text)?.[1];
      if (code !== undefined) this.currencies.set(this.#featureType, code);
    },
    NamePartValue: (text) => {
      if (this.#isPrimaryAlias) this.#name.push(text);
    },
    VersionDetail: (address) => {
      const [currency, profile] = [this.#currency, this.#profile];
      if (currency !== undefined)
        this.found.addresses.push({ address, currency, profile, name: this.#name.join(' ') });
    },
  });

  readonly #closed = handlersOf<void>({
    Feature: () => {
      this.#currency = undefined;
    },
    Alias: () => {
      this.#isPrimaryAlias = false;
    },
    EntryEvent: () => this.#designate(),
  });

  #readDate(part: string, text: string): void {
    const problem = `dates a designation of profile ${this.#entryProfile} with ${text.slice(0, 40)}`;
    if (!/^\d{1,4}$/.test(text)) throw new LabelFileError(this.#listPath, problem);
    this.#date.set(part, Number(text));
  }

  #designate(): void {
    const year = this.#date.get('Year');
    if (year === undefined) return;
    const seconds = Date.UTC(year, (this.#date.get('Month') ?? 1) - 1, this.#date.get('Day') ?? 1) / 1_000;
    const { first, last } = this.found.designatedAt.get(this.#entryProfile) ?? {
      first: seconds,
      last: seconds,
    };
    this.found.designatedAt.set(this.#entryProfile, {
      first: Math.min(first, seconds),
      last: Math.max(last, seconds),
    });
  }
}
