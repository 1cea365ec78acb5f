import type { z } from 'zod';
import { CHAINS } from '../../investigate/model/chain.ts';
import { systemClock } from '../../platform/clock.ts';
import { createAnalyzeSchema } from '../analyze/schema.ts';
import { createFollowSchema } from '../follow/schema.ts';
import { createInsidersSchema } from '../insiders/schema.ts';
import { createTraceSchema } from '../trace/schema.ts';
import { createTxSchema } from '../tx/schema.ts';
import { createVictimsSchema } from '../victims/schema.ts';
import { discoverySchema } from './discovery-schema.ts';

/** What catalogues of paid services say of a route: a description and an example body. */
type Resource = {
  readonly description: string;
  readonly example: Readonly<Record<string, unknown>>;
  readonly body: z.ZodType;
};

const NAMES = CHAINS.map(({ name }) => name);

const WALLET = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';

const RESOURCES: Readonly<Record<string, Resource>> = {
  '/analyze': {
    description: 'Tells who a wallet, program or token is, what it did, and what its risk is.',
    body: createAnalyzeSchema(NAMES),
    example: { address: WALLET, chain: 'ethereum' },
  },
  '/trace': {
    description: 'Follows one transfer through a mixer or an exchange to the wallets on the other side.',
    body: createTraceSchema(NAMES, systemClock),
    example: {
      wallet: WALLET,
      counterparty: '0x910Cbd523D972eb0a6f4cAe4618aD62622b39DbF',
      signature: `0x${'00'.repeat(32)}`,
      direction: 'out',
      time: 1_700_000_000,
      sol: 10,
      usd: 0,
    },
  },
  '/follow': {
    description: 'Follows the main stream of money out of a wallet, hop by hop.',
    body: createFollowSchema(NAMES, systemClock),
    example: { address: WALLET, chain: 'ethereum', asset: 'native', max_hops: 25 },
  },
  '/insiders': {
    description: 'Names who had a token early and is tied to its creator or to one another.',
    body: createInsidersSchema(NAMES),
    example: { token: '0x6982508145454ce325ddbe47a25d4ec3d2311933', chain: 'ethereum', window: 60 },
  },
  '/victims': {
    description: 'Names who lost what to a drainer or thief, by which transaction and by which method.',
    body: createVictimsSchema(NAMES, systemClock),
    example: { address: WALLET, chain: 'ethereum', limit: 100 },
  },
  '/tx': {
    description: 'Lists what one transaction moved from one party to another.',
    body: createTxSchema(NAMES),
    example: { hash: `0x${'00'.repeat(32)}`, chain: 'ethereum' },
  },
};

export const PAID_PATHS = Object.keys(RESOURCES);
export const isPaidPath = (path: string): boolean => Object.hasOwn(RESOURCES, path);

/** Description, example and JSON schema of a route's request. */
export const describeResource = (path: string) => {
  const { description, example, body } = RESOURCES[path] ?? NONE;
  return { description, discovery: { example, schema: body === null ? {} : schemaOf(path, body) } };
};

const NONE = { description: '', example: {}, body: null };

const schemas = new Map<string, Record<string, unknown>>();
const schemaOf = (path: string, body: z.ZodType): Record<string, unknown> => {
  const schema = schemas.get(path) ?? discoverySchema(body);
  schemas.set(path, schema);
  return schema;
};
