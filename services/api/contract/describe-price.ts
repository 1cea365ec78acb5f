import { TARIFFS, type TariffName } from '../../credits/decider/tariffs.ts';

const UNITS = { analyses: ['analysis', 'analyses'], traces: ['trace', 'traces'] } as const;

/** "$0.10" */
export const dollarsOf = (tariff: TariffName): string => `$${amountOf(tariff)}`;

/** "0.10" */
export const amountOf = (tariff: TariffName): string => (TARIFFS[tariff].usdMicros / 1e6).toFixed(2);

/** The price of a call in each way of paying, as a sentence. The second tariff is for large subjects. */
export const describePrice = (tariffs: readonly TariffName[]): string => {
  const prices = tariffs.map((name) => {
    const { units, allowance, credits } = TARIFFS[name];
    const [one, many] = UNITS[allowance];
    return `${units} ${units === 1 ? one : many} or ${credits} pack credits with a key, ${dollarsOf(name)} by x402`;
  });
  return `Costs ${prices.join('; above 1,000 transactions ')}. A call that fails or finds no data costs nothing.`;
};
