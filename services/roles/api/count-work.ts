import type { Ledger } from '../../credits/ledger.ts';
import type { PaymentEvent } from '../../payments/decider/events.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import type { Metrics } from '../create-metrics.ts';

/** Times each query of a client until its answer begins. */
export const timeQuestions = (client: WarehouseClient, { questionAsked }: Metrics): void => {
  const query = client.query.bind(client);
  client.query = async (request) => {
    const startedMs = performance.now();
    let outcome: 'answered' | 'failed' = 'failed';
    try {
      const answer = await query(request);
      outcome = 'answered';
      return answer;
    } finally {
      questionAsked({ outcome, durationSeconds: (performance.now() - startedMs) / 1_000 });
    }
  };
};

/** The same ledger. Refusals of reservations are counted by reason. */
export const countReservations = (ledger: Ledger, { reservationEnded }: Metrics): Ledger => ({
  ...ledger,
  submit: async (payer, command) => {
    let outcome = 'unanswered';
    try {
      const answer = await ledger.submit(payer, command);
      outcome = answer.status === 'refused' ? answer.reason : answer.status;
      return answer;
    } finally {
      if (command.type === 'ReserveCall') reservationEnded(outcome);
    }
  },
});

const SETTLEMENTS: Readonly<Partial<Record<PaymentEvent['type'], string>>> = {
  PaymentSettled: 'settled',
  PaymentFailed: 'failed',
  PaymentUnknown: 'unknown',
};

/** For `startPayments`: counts how settlements ended. */
export const countSettlements =
  ({ settlementEnded }: Metrics) =>
  ({ type }: Pick<PaymentEvent, 'type'>): void => {
    const outcome = SETTLEMENTS[type];
    if (outcome !== undefined) settlementEnded(outcome);
  };
