import { z } from 'zod';

/**
 * The JSON schema of a request for catalogues of paid services. It stands in a header, which proxies take up to some
 * kilobytes of: descriptions are left to the API document.
 */
export const discoverySchema = (body: z.ZodType): Record<string, unknown> => {
  const { $schema: _, ...schema } = z.toJSONSchema(body, {
    io: 'input',
    override: ({ jsonSchema }) => {
      delete jsonSchema.description;
    },
  });
  return schema;
};
