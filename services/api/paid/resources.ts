/** What catalogues of paid services say of a route: what it does, and a body that it takes. */
type Resource = { readonly description: string; readonly example: Readonly<Record<string, unknown>> };

const WALLET = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';

const RESOURCES: Readonly<Record<string, Resource>> = {
  '/analyze': {
    description: 'Tells who a wallet, program or token is, what it did, and what its risk is.',
    example: { address: WALLET, chain: 'ethereum' },
  },
  '/trace': {
    description: 'Follows one transfer through a mixer or an exchange to the wallets on the other side.',
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
    example: { address: WALLET, chain: 'ethereum', asset: 'native', max_hops: 25 },
  },
  '/insiders': {
    description: 'Names who had a token early and is tied to its creator or to one another.',
    example: { token: '0x6982508145454ce325ddbe47a25d4ec3d2311933', chain: 'ethereum', window: 60 },
  },
  '/victims': {
    description: 'Names who lost what to a drainer or thief, by which transaction and by which method.',
    example: { address: WALLET, chain: 'ethereum', limit: 100 },
  },
};

export const isPaidPath = (path: string): boolean => Object.hasOwn(RESOURCES, path);

/** The description, an example and its JSON schema. */
export const describeResource = (path: string) => {
  const { description, example } = RESOURCES[path] ?? { description: '', example: {} };
  const properties = Object.fromEntries(
    Object.entries(example).map(([name, value]) => [name, { type: typeof value }]),
  );
  return { description, discovery: { example, schema: { properties } } };
};
