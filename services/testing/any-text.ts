import fc from 'fast-check';

const SURROGATES = 0xd8_00;
const SURROGATES_COUNT = 0x8_00;

/** Any character but half a surrogate pair. fast-check's `unit: 'binary'` takes half a second to set up. */
const character = fc.nat({ max: 0x10_ff_ff - SURROGATES_COUNT }).map(
  (place) => String.fromCodePoint(place < SURROGATES ? place : place + SURROGATES_COUNT),
  (text) => {
    const point = (text as string).codePointAt(0) ?? 0;
    return point < SURROGATES ? point : point - SURROGATES_COUNT;
  },
);

export const anyText = (constraints: { readonly maxLength?: number } = {}): fc.Arbitrary<string> =>
  fc.string({ ...constraints, unit: character });
