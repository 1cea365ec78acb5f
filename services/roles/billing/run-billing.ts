import { purchaseIdOf } from '../../payments/purchase-id.ts';
import type { RunningPayments } from '../../payments/start-payments.ts';
import { systemClock } from '../../platform/clock.ts';
import { countSettlements } from '../api/count-work.ts';
import { CLOSE, type ServiceProcess } from '../service-process.ts';
import { openSecret } from '../store/open-secret.ts';
import type { Store } from '../store/open-store.ts';
import { type Billing, startBilling } from './start-billing.ts';

export const decidesCredits = ({ runs }: Pick<ServiceProcess, 'runs'>): boolean =>
  runs('ledger') || runs('retrace') || runs('api');

/** Accounts and the ledger; null in a process that neither decides about credits nor answers. */
export const runBilling = async (service: ServiceProcess, store: Store): Promise<Billing | null> => {
  const { config, logger, closing } = service;
  if (!decidesCredits(service)) return null;
  const billing = await startBilling(store, {
    snapshotEvents: config.ledgerSnapshotEvents,
    onError: (err) => logger.error({ err }, 'work on accounts or the ledger failed; trying again'),
  });
  closing('billing', CLOSE.billing, () => billing.stop());
  return billing;
};

/** null if calls cannot be paid by x402. */
export const runPayments = async (
  { config, logger, metrics, closing }: ServiceProcess,
  { log, registry, folder }: Store,
  billing: Billing | null,
): Promise<RunningPayments | null> => {
  const { x402 } = config;
  if (x402 === null || billing === null) return null;
  const { startPayments } = await import('../../payments/start-payments.ts');
  const { ledger } = billing;
  const payments = await startPayments({
    log,
    registry,
    x402,
    secret: openSecret(folder, 'payment-secret', config.secret),
    clock: systemClock,
    giveCredits: async ({ accountId, credits }, paymentKey) => {
      const id = purchaseIdOf(paymentKey);
      await ledger.submit(`account:${accountId}`, { type: 'AddCredits', id, credits });
    },
    onError: (err) => logger.error({ err }, 'work on payments failed; trying again'),
    onRecorded: countSettlements(metrics),
  });
  closing('payments', CLOSE.billing, () => payments.stop());
  return payments;
};

/** Whether calls need no key: only until the first account, and only without x402. */
export const isOpen = ({ accounts }: Billing, payments: RunningPayments | null): boolean =>
  payments === null && !accounts.directory.hasAccounts();
