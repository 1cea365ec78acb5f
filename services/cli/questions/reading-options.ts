import { type Command, InvalidArgumentError } from 'commander';

/** How long a call may have histories read, and what goes on with an earlier one. */
export type ReadingOptions = { readonly budget?: number; readonly continuation?: string };

/** For every question that has histories read. */
export const withReadingOptions = (command: Command): Command =>
  command
    .option('--budget <seconds>', 'work so many seconds at most, 10 to 85', parseSeconds)
    .option('--continuation <text>', 'go on with an earlier call of the same words, charged once');

const parseSeconds = (text: string): number => {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError('use a number');
  return value;
};

/** The same as fields of a body. */
export const readingBody = ({ budget, continuation }: ReadingOptions) => ({
  ...(budget !== undefined && { budget: { seconds: budget } }),
  ...(continuation !== undefined && { continuation }),
});
