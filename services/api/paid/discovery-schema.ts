import { z } from 'zod';

type Property = { readonly type?: unknown };

/**
 * The names of a request's fields, their types, and which are required; the API document has the rest. It travels in a
 * header: a proxy such as nginx takes 4 kB of headers in all and answers 502 above.
 */
export const discoverySchema = (body: z.ZodType): Record<string, unknown> => {
  const { properties = {}, required } = z.toJSONSchema(body, { io: 'input' });
  const outline = ([name, { type }]: [string, Property]) => [name, type === undefined ? {} : { type }];
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(properties as Record<string, Property>).map(outline)),
    ...(required && { required }),
  };
};
