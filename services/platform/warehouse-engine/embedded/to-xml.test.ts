import fc from 'fast-check';
import sax from 'sax';
import { expect, test } from 'vitest';
import { toXml } from './to-xml.ts';

test('the elements of a list share one parent, names with @ are attributes, and an empty configuration is an empty element', () => {
  expect(toXml({ grants: [{ query: 'a' }, { query: 'b' }], port: { '@from_env': 'P' }, default: {} })).toBe(
    '<clickhouse><grants><query>a</query><query>b</query></grants><port from_env="P"></port><default></default></clickhouse>',
  );
});

test('any text is read back from it as it was', () => {
  const text = fc.string({ unit: fc.constantFrom('<', '&', '"', "'", '>', ']', 'a', 'é', ' ') });
  fc.assert(
    fc.property(text, text, (content, attribute) => {
      const read = { content: '', attribute: '' };
      const parser = sax.parser(true);
      parser.ontext = (part) => {
        read.content += part;
      };
      parser.onopentag = ({ name, attributes }) => {
        if (name === 'a') read.attribute = String(attributes.b);
      };
      parser.write(toXml({ a: { '@b': attribute, c: content } })).close();
      expect(read).toEqual({ content, attribute });
    }),
  );
});
