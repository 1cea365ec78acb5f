import { z } from 'zod';

/**
 * The JSON schema of a request for catalogues of paid services. It travels in a header of at most a few kilobytes,
 * so it has no descriptions.
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
