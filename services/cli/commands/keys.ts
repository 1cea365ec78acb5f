import { Command } from 'commander';
import type { Key } from '../../accounts/directory.ts';
import { showableLine } from '../../platform/showable.ts';
import { example } from '../example.ts';
import { ACCOUNT_ARGUMENT, findAccount } from '../find-account.ts';
import { parseName } from '../parse-name.ts';
import { withBilling } from '../with-billing.ts';

type Options = { json?: boolean };
const ISSUE = 'spoor keys issue acme --name server';
const JSON_OPTION = ['--json', 'JSON lines on stdout'] as const;

/** `spoor keys …`: keys of accounts. */
export const keysCommand = (): Command =>
  new Command('keys')
    .description(
      'Issue, list and revoke the keys of accounts. Works beside a running server and without one.',
    )
    .addCommand(issueCommand())
    .addCommand(listCommand())
    .addCommand(revokeCommand())
    .addHelpText('after', example(ISSUE));

const issueCommand = (): Command =>
  new Command('issue')
    .description('Issue a key and print it. It is shown this once: only a hash of it is kept.')
    .argument(...ACCOUNT_ARGUMENT)
    .addHelpText('after', example(ISSUE))
    .option('--name <name>', 'what it is for', parseName, 'key')
    .option(...JSON_OPTION)
    .action((account: string, { name, json }: Options & { name: string }) =>
      withBilling(async ({ accounts }) => {
        const { id: accountId } = findAccount(accounts.directory, account);
        const { keyId, key } = await accounts.issueKey(accountId, name);
        if (!json) process.stderr.write(`key ${keyId}, shown only now:\n`);
        process.stdout.write(
          `${json ? JSON.stringify({ key_id: keyId, account_id: accountId, key }) : key}\n`,
        );
      }),
    );

const listCommand = (): Command =>
  new Command('list')
    .description('The keys of an account, revoked ones included.')
    .argument(...ACCOUNT_ARGUMENT)
    .addHelpText('after', example('spoor keys list acme'))
    .option(...JSON_OPTION)
    .action((account: string, { json }: Options) =>
      withBilling(async ({ accounts, ledger }) => {
        const { id: accountId } = findAccount(accounts.directory, account);
        const used = ledger.keysUsed(`account:${accountId}`);
        for (const key of accounts.directory.keysOf(accountId)) {
          const usedUnixMs = used.get(key.id) ?? null;
          process.stdout.write(
            `${json ? JSON.stringify(toJson(key, usedUnixMs)) : showableLine(describe(key, usedUnixMs))}\n`,
          );
        }
      }),
    );

const revokeCommand = (): Command =>
  new Command('revoke')
    .description('Revoke a key: it opens nothing any more, within a second, on every server.')
    .argument('<key>', 'its id, as `spoor keys list` shows it')
    .addHelpText('after', example('spoor keys revoke KEY'))
    .option(...JSON_OPTION)
    .action((keyId: string, { json }: Options) =>
      withBilling(async ({ accounts }) => {
        await accounts.revokeKey(keyId);
        if (json) process.stdout.write(`${JSON.stringify({ key_id: keyId, revoked: true })}\n`);
        else process.stderr.write(`key ${keyId} is revoked\n`);
      }),
    );

const toDate = (unixMs: number | null): string | null =>
  unixMs === null ? null : new Date(unixMs).toISOString();

const toJson = (
  { id, accountId, name, prefix, createdUnixMs, revokedUnixMs }: Key,
  usedUnixMs: number | null,
) => ({
  key_id: id,
  account_id: accountId,
  name,
  prefix,
  created_at: toDate(createdUnixMs),
  last_used_at: toDate(usedUnixMs),
  revoked_at: toDate(revokedUnixMs),
});

const describe = (
  { id, name, prefix, createdUnixMs, revokedUnixMs }: Key,
  usedUnixMs: number | null,
): string => {
  const used = usedUnixMs === null ? 'never used' : `last used ${toDate(usedUnixMs)}`;
  const revoked = revokedUnixMs === null ? '' : `, revoked ${toDate(revokedUnixMs)}`;
  return `${id}  ${prefix}…  ${name}, issued ${toDate(createdUnixMs)}, ${used}${revoked}`;
};
