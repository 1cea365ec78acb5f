import { expect, test } from 'vitest';
import { TARIFFS, type TariffName } from '../../credits/decider/tariffs.ts';
import { offerOf } from '../../testing/x402/pay-api.ts';
import { setUpEvmPayments } from '../../testing/x402/set-up-paid-api.ts';
import { describeApi } from '../contract/describe-api.ts';
import { describeResource, isPaidPath } from './resources.ts';

const current = setUpEvmPayments();

const PRICES: Readonly<Record<string, TariffName>> = {
  '/analyze': 'analyze',
  '/trace': 'trace',
  '/follow': 'follow',
  '/insiders': 'insiders',
  '/victims': 'victims',
  '/tx': 'analyze',
};

test.each(Object.entries(PRICES))(
  'POST %s asks for its price, and catalogues are given a request that it takes',
  async (path, tariff) => {
    const { api } = current();
    expect(isPaidPath(path)).toBe(true);
    const { example } = describeResource(path).discovery;
    const response = await api.post(path, example);
    expect(response.status).toBe(402);
    expect(offerOf(response)).toMatchObject({
      accepts: [{ scheme: 'exact', amount: String(TARIFFS[tariff].usdMicros) }],
      extensions: { bazaar: { info: { input: { method: 'POST', bodyType: 'json', body: example } } } },
    });
    // The fields are the API document's.
    const { extensions } = offerOf(response) as unknown as Offered;
    const { body } = extensions.bazaar.schema.properties.input.properties;
    const { properties, required } = bodySchema(path);
    expect(body.required).toEqual(required);
    expect(Object.keys(body.properties)).toEqual(Object.keys(properties));
    for (const [name, { type }] of Object.entries(properties)) expect(body.properties[name]?.type).toBe(type);
    expect(api.worked()).toBe(0);
  },
);

type Body = {
  readonly properties: Readonly<Record<string, { readonly type?: string }>>;
  readonly required?: readonly string[];
};
type Offered = {
  readonly extensions: {
    readonly bazaar: { readonly schema: { properties: { input: { properties: { body: Body } } } } };
  };
};

const bodySchema = (path: string): Body =>
  JSON.parse(JSON.stringify(describeApi({}).paths?.[path]?.post?.requestBody)).content['application/json']
    .schema;

test('/.well-known/x402 names every paid route', async () => {
  const { api } = current();
  const { resources } = (await (await fetch(`${api.url}/.well-known/x402`)).json()) as {
    resources: string[];
  };
  expect(resources.toSorted()).toEqual(
    Object.keys(PRICES)
      .map((path) => api.url + path)
      .toSorted(),
  );
});
