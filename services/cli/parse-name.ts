import { InvalidArgumentError } from 'commander';

const LENGTH_MAX = 100;

/** The name of an account or a key, as the API takes it. Throws `InvalidArgumentError`. */
export const parseName = (text: string): string => {
  const name = text.trim();
  if (name === '' || name.length > LENGTH_MAX)
    throw new InvalidArgumentError(`use a name of 1 to ${LENGTH_MAX} characters`);
  return name;
};
