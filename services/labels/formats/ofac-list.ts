import { basename } from 'node:path';
import { z } from 'zod';
import { LabelFileError, type LabelFormat } from './label-format.ts';

const FILE_NAME = /sanctioned_addresses_([A-Za-z0-9]+)\.(json|txt)/;
const LIST = z.array(z.string());

/**
 * Plain lists of one currency's sanctioned addresses, made from OFAC's list by
 * https://github.com/0xB10C/ofac-sanctioned-digital-currency-addresses: a JSON array, or one address a line. They
 * have no dates; lifted sanctions are known from elsewhere, see `chooseLabel`.
 */
export const ofacList: LabelFormat = {
  name: 'ofac-list',
  describe: 'plain lists of sanctioned addresses, sanctioned_addresses_<CURRENCY>.json or .txt',
  async *read(file) {
    const chain = file.options.chain ?? FILE_NAME.exec(basename(file.path))?.[1];
    if (chain === undefined)
      throw new LabelFileError(file.path, 'does not name its currency in its file name: use --chain');
    for (const [index, address] of parse(file.path, await file.text()).entries()) {
      yield {
        row: {
          where: `entry ${index + 1}`,
          chain,
          address,
          name: 'OFAC: sanctioned',
          categories: ['sanctioned'],
          kind: 'sanctioned',
          source: file.options.source ?? 'ofac',
          creator: 'OFAC',
          confidence: 1,
          evidence: 'https://sanctionslist.ofac.treas.gov/Home/SdnList',
          assertedAt: null,
        },
      };
    }
  },
};

const parse = (path: string, text: string): string[] => {
  if (!text.trimStart().startsWith('[')) return text.split(/\r?\n/).filter((line) => line.trim() !== '');
  try {
    return LIST.parse(JSON.parse(text));
  } catch (cause) {
    throw new LabelFileError(path, 'is not a JSON array of addresses', { cause });
  }
};
