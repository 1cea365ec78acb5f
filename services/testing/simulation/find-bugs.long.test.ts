import { expect, test } from 'vitest';
import type { Idempotency } from '../../api/paid/bind-call.ts';
import type { Ledger } from '../../credits/ledger.ts';
import type { TakePaymentDependencies } from '../../payments/take-payment.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { REAL, type Subjects } from './api-host.ts';
import { type Codecs, openCodecs } from './open-codecs.ts';
import { simulate } from './simulate.ts';

/** A broken variant must be found within so many seeds. */
const SEEDS_TO_FIND = 500;
/** Far above what either takes. */
const TIMEOUT_MS = 480_000;

/** The first seed that shows the bug; null where none of them does. */
const findIn = async (codecs: Codecs, options: { subjects?: Subjects; fences?: boolean }) => {
  for (let seed = 1; seed <= SEEDS_TO_FIND; seed++) {
    const result = await simulate(seed, { codecs, ...options });
    if (result.problems.length > 0) return result;
  }
  return null;
};

const withLedger = (change: (ledger: Ledger) => Partial<Ledger>): Subjects => ({
  ...REAL,
  startLedger: (options) => {
    const ledger = REAL.startLedger(options);
    return { ...ledger, ...change(ledger) };
  },
});

const withCharge = (change: (submit: Ledger['submit']) => Ledger['submit']): Subjects => ({
  ...REAL,
  createChargeCall: ({ ledger, ...rest }) =>
    REAL.createChargeCall({ ...rest, ledger: { ...ledger, submit: change(ledger.submit) } }),
});

const withKeys = (change: (keys: Idempotency['keys']) => Partial<Idempotency['keys']>): Subjects => ({
  ...REAL,
  createChargeCall: ({ idempotency = null, ...rest }) => {
    const changed = idempotency && {
      ...idempotency,
      keys: { ...idempotency.keys, ...change(idempotency.keys) },
    };
    return REAL.createChargeCall({ ...rest, idempotency: changed });
  },
});

const withPayments = (
  change: (dependencies: TakePaymentDependencies) => Partial<TakePaymentDependencies>,
): Subjects => ({
  ...REAL,
  createPayments: (dependencies) => REAL.createPayments({ ...dependencies, ...change(dependencies) }),
});

const BROKEN: Readonly<Record<string, { subjects?: Subjects; fences?: boolean }>> = {
  'answers that a call is posted before that is durable': {
    subjects: withLedger((ledger) => ({
      submit: async (payer, command) => {
        if (command.type !== 'PostCall') return ledger.submit(payer, command);
        ledger.submit(payer, command).catch(() => {});
        return { status: 'posted' };
      },
    })),
  },
  'lets a writer that was pushed out write on': { fences: false },
  'asks again with another id': {
    subjects: withLedger((ledger) => {
      let asked = 0;
      return {
        submit: (payer, command) =>
          ledger.submit(
            payer,
            command.type === 'AddCredits' ? { ...command, id: `${command.id} ${asked++}` } : command,
          ),
      };
    }),
  },
  'does not take back what was posted without an answer': {
    subjects: withCharge((submit) => async (payer, command) => {
      if (command.type !== 'VoidCall' || command.reason !== 'unanswered') return submit(payer, command);
      return { status: 'voided', reason: 'unanswered' };
    }),
  },
  'takes a settlement that nobody knows of for a settled one': {
    subjects: withPayments(({ facilitator, chainOf }) => ({
      facilitator: {
        ...facilitator,
        settle: async (payment) => {
          const settled = await facilitator.settle(payment);
          return settled.status === 'unknown' ? { status: 'settled', transaction: '0x' } : settled;
        },
      },
      chainOf: (network) => ({ ...chainOf(network), confirm: async () => true }),
    })),
  },
  'takes a nonce that was used for a payment that was made': {
    subjects: withPayments(({ chainOf }) => ({
      chainOf: (network) => ({
        ...chainOf(network),
        look: async (payment, sinceUnixMs) => {
          const found = await chainOf(network).look(payment, sinceUnixMs);
          const isUsed = found.status === 'cannot_move' && found.reason === 'payment_already_used';
          return isUsed ? { status: 'moved', transaction: '0x' } : found;
        },
      }),
    })),
  },
  'takes a node that does not answer for one that says no': {
    subjects: withPayments(({ chainOf }) => ({
      chainOf: (network) => ({
        ...chainOf(network),
        look: (...asked) =>
          chainOf(network)
            .look(...asked)
            .catch(() => ({ status: 'cannot_move', reason: 'payment_expired' })),
      }),
    })),
  },
  'works for whoever claims a payment, first or not': {
    subjects: withPayments(({ book }) => ({
      book: {
        ...book,
        record: async (...event) => {
          await book.record(...event);
          return { counts: true };
        },
      },
    })),
  },
  'does not write down that it has handed an answer out': {
    subjects: withPayments(({ book }) => ({
      book: {
        ...book,
        record: async (wallet, key, ...events) =>
          events.some(({ type }) => type === 'AnswerGiven')
            ? { counts: true }
            : book.record(wallet, key, ...events),
      },
    })),
  },
  'takes every call for the first with its key': {
    subjects: withKeys((keys) => ({
      bind: async (...call) => (await keys.bind(...call)) || true,
      answer: async (...answer) => (await keys.answer(...answer)) || true,
    })),
  },
  'frees a key before it knows that its call is void': {
    subjects: withKeys((keys) => ({
      answer: async (id, callId, place) => {
        const counts = await keys.answer(id, callId, place);
        await keys.release(id, callId);
        return counts;
      },
    })),
  },
  'takes back the charge for what another process has handed out': {
    subjects: withKeys((keys) => ({
      withdraw: async (...call) => (await keys.withdraw(...call)) || true,
    })),
  },
  'charges for work that failed': {
    subjects: withCharge((submit) => (payer, command) => {
      const { type } = command;
      return submit(payer, type === 'VoidCall' ? { type: 'PostCall', callId: command.callId } : command);
    }),
  },
};

test.each(Object.entries(BROKEN))(
  'a service that %s is found out, and its seed shows the same again',
  async (_, broken) => {
    const codecs = await openCodecs(temporaryFolder());
    const found = await findIn(codecs, broken);
    expect(found?.problems).not.toEqual([]);
    expect(await simulate(found?.seed ?? 0, { codecs, ...broken })).toEqual(found);
  },
  TIMEOUT_MS,
);
