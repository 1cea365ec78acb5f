import { Command } from 'commander';
import { openLedgerCodec } from '../../credits/ledger-codec.ts';
import { readCreditsAdded } from '../../credits/read-credits-added.ts';
import { auditPayments, type PaymentAudit } from '../../payments/audit.ts';
import { openPaymentCodec } from '../../payments/book/payment-codec.ts';
import { openChains } from '../../payments/start-payments.ts';
import { systemClock } from '../../platform/clock.ts';
import { ConfigError, loadConfig } from '../../platform/config/config.ts';
import { showableLine } from '../../platform/showable.ts';
import type { Store } from '../../roles/store/open-store.ts';
import { example } from '../example.ts';
import { verdictOf } from '../reports/audit-verdict.ts';
import { whileWaiting } from '../reports/start-waiting.ts';
import { withStore } from '../with-billing.ts';

const AUDIT = 'spoor payments audit --json';
const EXIT_FAILED = 1;

/** `spoor payments audit`: compares each payment's events with its chain and the ledger. */
export const paymentsCommand = (): Command =>
  new Command('payments')
    .description('Check payments by x402.')
    .addHelpText('after', example(AUDIT))
    .addCommand(
      new Command('audit')
        .description(
          'Compare every payment with its chain, and with the credits it bought; exit 1 where anything differs.',
        )
        .option('--json', 'end with one JSON line of totals on stdout')
        .addHelpText('after', example(AUDIT))
        .action(({ json }: { json?: boolean }) =>
          withStore(async (store) => {
            const { x402 } = loadConfig(process.env);
            if (x402 === null)
              throw new ConfigError([
                { variable: 'X402_RPC_URLS', problem: 'is not set: there is no chain to compare with' },
              ]);
            const audit = await auditStore(store, x402);
            for (const { key, wallet, problem } of audit.problems)
              process.stderr.write(`${showableLine(`payment ${key} of ${wallet} ${problem}`)}\n`);
            process.stderr.write(`${describe(audit)}\n`);
            if (json) process.stdout.write(`${JSON.stringify(toJson(audit))}\n`);
            if (audit.problems.length > 0) process.exitCode = EXIT_FAILED;
          }),
        ),
    );

const auditStore = async (store: Store, x402: Parameters<typeof openChains>[0]): Promise<PaymentAudit> => {
  const codec = await openPaymentCodec(store.registry);
  let compared = 0;
  const audit = (): Promise<PaymentAudit> =>
    auditPayments({
      ...{ log: store.log, codec, chainOf: openChains(x402), clock: systemClock },
      readGiven: async () => readCreditsAdded(store.log, await openLedgerCodec(store.registry)),
      onCompared: (payments) => {
        compared = payments;
      },
    });
  return whileWaiting(() => `${compared} payments compared with their chains`, audit);
};

const toJson = ({ events, payments, compared, settledRaw, problems }: PaymentAudit) => ({
  name: 'payments audit',
  events,
  ...payments,
  compared,
  settled_raw: Object.fromEntries([...settledRaw].map(([asset, raw]) => [asset, String(raw)])),
  problems: problems.length,
});

const describe = (audit: PaymentAudit): string => {
  const { events, payments, compared } = audit;
  return (
    `${events} events, ${payments.settled} payments settled, ${payments.failed} failed, ` +
    `${payments.released} released, ${payments.unknown + payments.settling} open; ${compared} compared: ` +
    verdictOf(audit, 'the chain and the ledger agree')
  );
};
