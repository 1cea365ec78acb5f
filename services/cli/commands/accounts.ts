import { randomUUID } from 'node:crypto';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { Account } from '../../accounts/directory.ts';
import { presentCredits } from '../../api/paid/present-credits.ts';
import { CYCLES, type Cycle } from '../../credits/decider/period.ts';
import { PLAN_IDS, type PlanId } from '../../credits/decider/plans.ts';
import type { Payer } from '../../credits/decider/state.ts';
import { systemClock } from '../../platform/clock.ts';
import { readTime } from '../../platform/read-time.ts';
import { showableLine, showableLines } from '../../platform/showable.ts';
import type { Billing } from '../../roles/billing/start-billing.ts';
import { example } from '../example.ts';
import { ACCOUNT_ARGUMENT, findAccount } from '../find-account.ts';
import { parseName } from '../parse-name.ts';
import { withBilling } from '../with-billing.ts';

type PlanOptions = { cycle?: Cycle; paidUntil?: number; json?: boolean };

const OPEN = 'spoor accounts open acme --plan team --cycle yearly';

const payerOf = (accountId: string): Payer => `account:${accountId}`;

/** `spoor accounts …`: accounts and their credits. */
export const accountsCommand = (): Command =>
  new Command('accounts')
    .description(
      'Open accounts, change their plans, add credits. Works beside a running server and without one.',
    )
    .addCommand(openCommand())
    .addCommand(listCommand())
    .addCommand(planCommand())
    .addCommand(creditsCommand())
    .addHelpText('after', example(OPEN));

const parseDate = (text: string): number => {
  const unixMs = 1_000 * (readTime(text) ?? Number.NaN);
  if (Number.isNaN(unixMs))
    throw new InvalidArgumentError('use a date, such as 2027-01-31 or 2027-01-31T12:00Z');
  if (unixMs <= systemClock.nowUnixMs())
    throw new InvalidArgumentError(
      'use a date in the future: a plan that was paid until a past date would end now',
    );
  return unixMs;
};
const parseCount = (text: string): number => {
  if (!/^[1-9]\d{0,7}$/.test(text)) throw new InvalidArgumentError('use a whole number from 1 to 99999999');
  return Number(text);
};
const cycleOption = () =>
  new Option('--cycle <cycle>', 'when the plan renews; default: as before, monthly for another plan').choices(
    CYCLES,
  );
const paidUntilOption = () =>
  new Option(
    '--paid-until <date>',
    'when the plan ends (UTC); without it, the plan renews until it is changed',
  ).argParser(parseDate);
const jsonOption = () => new Option('--json', 'JSON lines on stdout');

const openCommand = (): Command =>
  new Command('open')
    .description('Open an account. The first one ends the open mode: from then on calls need a key.')
    .argument('<name>', 'whose it is', parseName)
    .addHelpText('after', example(OPEN))
    .addOption(new Option('--plan <plan>', 'the plan to begin with').choices(PLAN_IDS).default('free'))
    .addOption(cycleOption())
    .addOption(paidUntilOption())
    .addOption(jsonOption())
    .action((name: string, options: PlanOptions & { plan: PlanId }) =>
      withBilling(async (billing) => {
        const { accountId } = await billing.accounts.open(name);
        await changePlan(billing, accountId, options.plan, options);
        printAccount(billing, accountId, options.json);
      }),
    );

const listCommand = (): Command =>
  new Command('list')
    .description('Every account and what it has left.')
    .addHelpText('after', example('spoor accounts list --json'))
    .addOption(jsonOption())
    .action(({ json }: { json?: boolean }) =>
      withBilling(async (billing) => {
        for (const { id } of billing.accounts.directory.accounts()) printAccount(billing, id, json);
      }),
    );

const planCommand = (): Command =>
  new Command('plan')
    .description('Change the plan of an account, or pay it for longer. Another plan begins a new period now.')
    .argument(...ACCOUNT_ARGUMENT)
    .addArgument(new Command().createArgument('<plan>', 'the new plan').choices(PLAN_IDS))
    .addHelpText('after', example('spoor accounts plan acme investigator --paid-until 2099-01-31'))
    .addOption(cycleOption())
    .addOption(paidUntilOption())
    .addOption(jsonOption())
    .action((account: string, plan: PlanId, options: PlanOptions) =>
      withBilling(async (billing) => {
        const { id: accountId } = findAccount(billing.accounts.directory, account);
        await changePlan(billing, accountId, plan, options);
        printAccount(billing, accountId, options.json);
      }),
    );

const creditsCommand = (): Command =>
  new Command('credits')
    .description('Add pack credits to an account.')
    .argument(...ACCOUNT_ARGUMENT)
    .argument('<count>', 'how many', parseCount)
    .addHelpText('after', example('spoor accounts credits acme 1000 --id invoice-4711'))
    .option('--id <id>', 'id of the purchase: the same id adds nothing a second time', parseName)
    .addOption(jsonOption())
    .action((account: string, credits: number, { id, json }: { id?: string; json?: boolean }) =>
      withBilling(async (billing) => {
        const { id: accountId } = findAccount(billing.accounts.directory, account);
        await addCredits(billing, payerOf(accountId), credits, id);
        printAccount(billing, accountId, json);
      }),
    );

const addCredits = async (
  { ledger }: Billing,
  payer: Payer,
  credits: number,
  id: string = randomUUID(),
): Promise<void> => {
  const tell = (line: string): void => void process.stderr.write(`${showableLine(line)}\n`);
  if (ledger.hasApplied(payer, id)) tell(`purchase ${id} counts already: nothing is added`);
  try {
    await ledger.submit(payer, { type: 'AddCredits', id, credits });
  } catch (error) {
    tell(`the credits may still be added: repeat the command with --id ${id}, which adds them only once`);
    throw error;
  }
};

const changePlan = async (
  { ledger }: Billing,
  accountId: string,
  plan: PlanId,
  { cycle, paidUntil }: PlanOptions,
): Promise<void> => {
  const payer = payerOf(accountId);
  const paidUntilUnixMs = paidUntil ?? null;
  const running = ledger.balance(payer);
  // Another cycle starts a new period, and the rest of the current one is lost.
  const newCycle = cycle ?? (running.plan === plan ? running.cycle : 'monthly');
  const change = { type: 'ChangePlan', id: randomUUID(), plan, cycle: newCycle, paidUntilUnixMs } as const;
  await ledger.submit(payer, change);
};

const printAccount = ({ accounts, ledger }: Billing, accountId: string, json?: boolean): void => {
  const account = accounts.directory.account(accountId);
  if (account === null) return;
  const left = presentCredits(ledger.balance(payerOf(accountId)));
  const { name, openedUnixMs } = account;
  const opened = { account_id: accountId, name, opened_at: new Date(openedUnixMs).toISOString() };
  process.stdout.write(
    `${json ? JSON.stringify({ ...opened, ...left }) : showableLines(describe(account, left))}\n`,
  );
};

const describe = ({ id, name }: Account, left: ReturnType<typeof presentCredits>): string => {
  const until = left.period_end === null ? '' : ` until ${left.period_end}`;
  const paid = left.paid_until === null ? '' : `, paid until ${left.paid_until}`;
  return [
    `${id}  ${name}`,
    `  ${left.plan_name}, ${left.cycle}: ${left.analyses_left} analyses and ${left.traces_left} traces left${until}${paid}; ${left.pack_credits} pack credits`,
  ].join('\n');
};
