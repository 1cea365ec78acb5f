/**
 * The only source of randomness in the generated world: a seed gives the same world in every process. sfc32 (Chris
 * Doty-Humphrey, PractRand), seeded through splitmix32 so that neighbouring seeds share nothing.
 */
export type Random = {
  /** 32 random bits, as an unsigned integer. */
  readonly bits: () => number;
  /** Uniform in [0, 1). */
  readonly unit: () => number;
  /** Uniform integer in [0, limit). */
  readonly below: (limit: number) => number;
  /** Uniform integer in [low, high]. */
  readonly between: (low: number, high: number) => number;
  readonly chance: (probability: number) => boolean;
  readonly pick: <Item>(items: readonly Item[]) => Item;
  /** An index of `weights`, drawn in proportion to them. */
  readonly weighted: (weights: readonly number[]) => number;
  readonly exponential: (mean: number) => number;
  readonly normal: () => number;
  /** exp of a normal: `median` is its middle, `sigma` its spread in natural logarithms. */
  readonly logNormal: (median: number, sigma: number) => number;
  /** An independent stream: draws of one actor do not affect another. */
  readonly fork: (label: string | number) => Random;
};

/** 32-bit finaliser of MurmurHash3: a bijection, so different inputs stay different. */
export const mix32 = (value: number): number => {
  let mixed = value | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
};

/** FNV-1a over a label's characters, mixed: turns names into seeds. */
export const hashLabel = (label: string | number, seed = 0x811c9dc5): number => {
  const text = String(label);
  let hash = seed;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return mix32(hash);
};

const sfc32 = (seed: number): (() => number) => {
  let state = seed | 0;
  const splitmix = (): number => {
    state = (state + 0x9e3779b9) | 0;
    return mix32(state) | 0;
  };
  let a = splitmix();
  let b = splitmix();
  let c = splitmix();
  let counter = 1;
  const bits = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    c |= 0;
    return sum >>> 0;
  };
  for (let round = 0; round < 12; round++) bits();
  return bits;
};

const drawWeighted = (unit: number, weights: readonly number[]): number => {
  let total = 0;
  for (const weight of weights) total += weight;
  let left = unit * total;
  for (const [at, weight] of weights.entries()) {
    left -= weight;
    if (left < 0) return at;
  }
  return weights.length - 1;
};

export const createRandom = (seed: number): Random => {
  const bits = sfc32(seed);
  const unit = (): number => bits() / 4_294_967_296;
  const below = (limit: number): number => Math.floor(unit() * limit);
  const exponential = (mean: number): number => -mean * Math.log(1 - unit());
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - unit())) * Math.cos(2 * Math.PI * unit());
  return {
    bits,
    unit,
    below,
    between: (low, high) => low + below(high - low + 1),
    chance: (probability) => unit() < probability,
    pick: (items) => {
      const item = items[below(items.length)];
      if (item === undefined) throw new RangeError('nothing to pick from');
      return item;
    },
    weighted: (weights) => drawWeighted(unit(), weights),
    exponential,
    normal,
    logNormal: (median, sigma) => median * Math.exp(sigma * normal()),
    fork: (label) => createRandom(hashLabel(label, mix32(seed) ^ 0x811c9dc5)),
  };
};
