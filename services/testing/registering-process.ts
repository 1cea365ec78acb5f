/** Registers so many schemas, named after a prefix, and prints the id of each: `id name`. */
import { openLocalRegistry } from '../platform/avro/local-registry.ts';
import { parseSchema } from '../platform/avro/schemas.ts';

const [path = '', prefix = '', count = '0'] = process.argv.slice(2);
const registry = openLocalRegistry(path);
const fields = [{ name: 'a', type: 'string' }];
for (let i = 0; i < Number(count); i++) {
  const name = `${prefix}${i}`;
  const id = await registry.register(parseSchema(JSON.stringify({ type: 'record', name, fields })));
  process.stdout.write(`${id} ${name}\n`);
}
