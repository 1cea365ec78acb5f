import { UnknownIdError } from '../accounts/accounts.ts';
import type { Account, Directory } from '../accounts/directory.ts';

/** How commands describe the argument that names an account. */
export const ACCOUNT_ARGUMENT = [
  '<account>',
  'its name or its id, as `spoor accounts list` shows them',
] as const;

class SharedNameError extends Error {
  readonly code = 'shared_name';
  constructor(name: string, accounts: readonly Account[]) {
    super(
      `${accounts.length} accounts are named ${name}; use an id: ${accounts.map(({ id }) => id).join(', ')}`,
    );
    this.name = 'SharedNameError';
  }
}

/** The account of an id, or of a name that no other has. Throws `UnknownIdError` and `SharedNameError`. */
export const findAccount = (directory: Directory, told: string): Account => {
  const account = directory.account(told);
  if (account !== null) return account;
  const named = directory.accounts().filter(({ name }) => name === told);
  const [first, ...others] = named;
  if (first === undefined) throw new UnknownIdError('account', told);
  if (others.length > 0) throw new SharedNameError(told, named);
  return first;
};
