/** What one call costs, in three currencies: the plan's allowance, or pack credits, or a payment of its own. */
type Tariff = {
  /** The allowance of the plan that pays, and how much of it. */
  readonly allowance: 'analyses' | 'traces';
  readonly units: number;
  /** Where the plan cannot pay, so many pack credits do. */
  readonly credits: number;
  /** Millionths of a dollar, the smallest unit of a 6-decimals stablecoin. */
  readonly usdMicros: number;
};

/** Data, not code. Events carry the amounts, so that a change here changes no books of the past. */
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
/** What a place is taken for: a call, or credits that a wallet buys by the pack, which no account's credits pay for. */
export type Purchase = TariffName | 'pack';
export const TARIFF_NAMES = Object.keys(TARIFFS) as TariffName[];
