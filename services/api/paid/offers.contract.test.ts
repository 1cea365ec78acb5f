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
    const { extensions } = offerOf(response) as unknown as { extensions: { bazaar: { schema: object } } };
    // The same as the API document says, without its sentences.
    expect(JSON.stringify(extensions.bazaar.schema)).toContain(JSON.stringify(bodySchema(path)));
    // Proxies give a header some kilobytes.
    expect(response.headers.get('payment-required')?.length).toBeLessThan(4_000);
    expect(api.worked()).toBe(0);
  },
);

const bodySchema = (path: string): unknown =>
  JSON.parse(
    JSON.stringify(describeApi({}).paths?.[path]?.post?.requestBody, (name, value: unknown) =>
      name === 'description' ? undefined : value,
    ),
  ).content['application/json'].schema;

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
