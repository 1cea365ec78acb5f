/** The price of one call in three currencies: plan allowance, pack credits, or a payment. */
type Tariff = {
  /** The plan's allowance that pays, and how much of it. */
  readonly allowance: 'analyses' | 'traces';
  readonly units: number;
  /** The pack credits that pay if the plan cannot. */
  readonly credits: number;
  /** Millionths of a dollar, the smallest unit of a 6-decimals stablecoin. */
  readonly usdMicros: number;
};

/** Events carry amounts, so a change here does not change past books. */
export const TARIFFS = {
  analyze: { allowance: 'analyses', units: 1, credits: 1, usdMicros: 50_000 },
  /** The subject has more than 1,000 transactions. */
  analyze_large: { allowance: 'analyses', units: 3, credits: 3, usdMicros: 150_000 },
  trace: { allowance: 'traces', units: 1, credits: 2, usdMicros: 100_000 },
  follow: { allowance: 'analyses', units: 2, credits: 2, usdMicros: 100_000 },
  insiders: { allowance: 'analyses', units: 2, credits: 2, usdMicros: 100_000 },
  victims: { allowance: 'analyses', units: 3, credits: 3, usdMicros: 150_000 },
} as const satisfies Record<string, Tariff>;

export type TariffName = keyof typeof TARIFFS;
/** What a place is reserved for: a call, or a purchase of pack credits, which no account's credits pay. */
export type Purchase = TariffName | 'pack';
export const TARIFF_NAMES = Object.keys(TARIFFS) as TariffName[];
