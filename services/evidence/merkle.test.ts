import fc from 'fast-check';
import { expect, test } from 'vitest';
import { merkleProof, merkleRoot, rootOfProof } from './merkle.ts';

// RFC 6962 and Certificate Transparency's own test vectors: leaves "", 00, 10, …
test('nothing has the digest of nothing, one line that of its leaf', () => {
  expect(merkleRoot([])).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  expect(merkleRoot([''])).toBe('6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d');
});

const lines = fc.array(fc.string(), { minLength: 1, maxLength: 40 });

test('every line is proved by its path, and no other line by it', () => {
  fc.assert(
    fc.property(lines, fc.nat(), fc.string(), (all, at, other) => {
      const [index, size] = [at % all.length, all.length];
      const line = all[index] ?? '';
      const proof = merkleProof(all, index);
      expect(rootOfProof(line, { index, size, proof })).toBe(merkleRoot(all));
      if (other !== line) expect(rootOfProof(other, { index, size, proof })).not.toBe(merkleRoot(all));
    }),
  );
});

test('a line that is changed, left out, doubled or moved is another root', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string(), { minLength: 2, maxLength: 20 }), fc.nat(), (all, at) => {
      const index = at % all.length;
      const line = all[index] ?? '';
      const changed = [
        all.with(index, `${line}x`),
        all.toSpliced(index, 1),
        [...all, line],
        [...all.slice(1), all[0] ?? ''],
      ];
      for (const each of changed) expect(merkleRoot(each)).not.toBe(merkleRoot(all));
    }),
  );
});
