import { expect, test } from 'vitest';
import { metadataDetail, readMetadata } from './control-event.ts';

test('what a token calls itself is kept, cut between characters', () => {
  const told = { name: 'a"b', symbol: '☃', uri: '𝄞'.repeat(5_000) };
  expect(readMetadata(metadataDetail(told))).toEqual({ ...told, uri: '𝄞'.repeat(128) });
});
