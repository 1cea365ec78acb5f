import { z } from 'zod';
import { challengeAnswer, keyAnswer, packAnswer, sessionAnswer } from '../account/answer.ts';
import { keyBody } from '../account/keys.ts';
import { packBody } from '../account/packs.ts';
import { signedBody, walletBody } from '../account/sign-in.ts';
import { analyzeAnswer } from '../analyze/answer.ts';
import { createAnalyzeSchema } from '../analyze/schema.ts';
import { accountAnswer, usageAnswer } from '../billing/answer.ts';
import { followAnswer } from '../follow/answer.ts';
import { flowGraphAnswer } from '../follow/graph-answer.ts';
import { createFollowSchema } from '../follow/schema.ts';
import { insidersAnswer } from '../insiders/answer.ts';
import { createInsidersSchema } from '../insiders/schema.ts';
import { retraceOperations } from '../retrace/operations.ts';
import { signalsAnswer } from '../signals/answer.ts';
import { statusAnswer } from '../status/answer.ts';
import { traceAnswer } from '../trace/answer.ts';
import { createTraceSchema } from '../trace/schema.ts';
import { txAnswer } from '../tx/answer.ts';
import { createTxSchema } from '../tx/schema.ts';
import { victimsAnswer } from '../victims/answer.ts';
import { createVictimsSchema } from '../victims/schema.ts';
import type { Operation, Served } from './operation.ts';

/** Errors of every paid route. */
const PAID_ERRORS = [400, 401, 402, 408, 409, 413, 415, 417, 429, 503, 504] as const;

const questions = ({ chains, clock }: Served): readonly Operation[] => [
  {
    method: 'post',
    path: '/analyze',
    id: 'analyze',
    summary: 'Who is this wallet?',
    description:
      'Tells who an address is, who funded it first, whom it dealt with and what it did, with its risk and every reason for ' +
      'it. An address that the data does not know is `unknown`, never clean.',
    tag: 'questions',
    body: createAnalyzeSchema(chains),
    answer: analyzeAnswer,
    status: 200,
    access: 'key',
    tariffs: ['analyze', 'analyze_large'],
    errors: PAID_ERRORS,
  },
  {
    method: 'post',
    path: '/follow',
    id: 'follow',
    summary: 'Where did the money go?',
    description:
      'Follows the main stream of money out of a wallet, hop by hop, until it reaches an exchange, a bridge, a mixer or a ' +
      'swap, splits, or comes to rest. With `graph` it follows every branch instead, of several starts if asked, and says ' +
      'how probable each payment is. The result is a lead, not a proof.',
    tag: 'questions',
    body: createFollowSchema(chains, clock),
    answer: z.union([followAnswer, flowGraphAnswer]),
    status: 200,
    access: 'key',
    examples: ({ follow, graph }) => ({ stream: follow, graph }),
    tariffs: ['follow'],
    errors: PAID_ERRORS,
  },
  {
    method: 'post',
    path: '/trace',
    id: 'trace',
    summary: 'Who took this deposit out of the mixer or exchange?',
    description:
      'Follows one transfer through a mixer or an exchange and lists the wallets on the other side that most likely belong ' +
      'to the same person, each with its evidence. The result is a lead, not a proof.',
    tag: 'questions',
    body: createTraceSchema(chains, clock),
    answer: traceAnswer,
    status: 200,
    access: 'key',
    tariffs: ['trace'],
    errors: PAID_ERRORS,
  },
  {
    method: 'post',
    path: '/insiders',
    id: 'insiders',
    summary: 'Who had this token early and is tied to its creator?',
    description:
      'Finds creator and launch of a token, and the early buyers, launch recipients and top holders that are tied to the ' +
      'creator or to one another: by who funded them, by bundles, by buying in the launch slot. The result is a lead.',
    tag: 'questions',
    body: createInsidersSchema(chains),
    answer: insidersAnswer,
    status: 200,
    access: 'key',
    tariffs: ['insiders'],
    errors: PAID_ERRORS,
  },
  {
    method: 'post',
    path: '/victims',
    id: 'victims',
    summary: 'Who lost what to this address?',
    description:
      'Names the victims of a drainer or thief with each loss, its transaction and its method, its partners and their share, ' +
      'and who paid it and is no victim.',
    overHttp: 'With `Accept: text/csv` the answer is one row for each loss.',
    tag: 'questions',
    body: createVictimsSchema(chains, clock),
    answer: victimsAnswer,
    status: 200,
    access: 'key',
    tariffs: ['victims'],
    errors: PAID_ERRORS,
  },
  {
    method: 'post',
    path: '/tx',
    id: 'tx',
    summary: 'What did this transaction move?',
    description:
      'Lists what one transaction moved from one party to another, with labels and dollars. Where only a hash is known, it ' +
      'gives the wallets to ask about.',
    tag: 'questions',
    body: createTxSchema(chains),
    answer: txAnswer,
    status: 200,
    access: 'key',
    tariffs: ['analyze'],
    errors: PAID_ERRORS,
  },
];

const SERVICE: readonly Operation[] = [
  {
    method: 'get',
    path: '/signals',
    id: 'listSignals',
    summary: 'How is risk scored?',
    description:
      'Every signal with its default severity and weight, its meaning and its evidence; the formula and its cuts.',
    tag: 'service',
    answer: signalsAnswer,
    status: 200,
    access: 'free',
  },
  {
    method: 'get',
    path: '/status',
    id: 'getStatus',
    summary: 'Is the service healthy?',
    description: 'Health of the service and of what it relies on. 503 while it is down, with the same body.',
    tag: 'service',
    answer: statusAnswer,
    status: 200,
    access: 'free',
  },
];

const BILLING: readonly Operation[] = [
  {
    method: 'get',
    path: '/billing/account',
    id: 'getAccount',
    summary: 'What is left?',
    description: 'The plan of the key, what is left of it, and the keys that spend it.',
    tag: 'billing',
    answer: accountAnswer,
    status: 200,
    access: 'key',
    errors: [401, 503],
  },
  {
    method: 'get',
    path: '/billing/usage/{days}',
    id: 'getUsage',
    summary: 'What was used?',
    description: 'Use per UTC day, zero rows included, oldest first.',
    tag: 'billing',
    parameters: {
      days: {
        description: 'How many days back, today included.',
        schema: { type: 'integer', minimum: 7, maximum: 365 },
      },
    },
    answer: usageAnswer,
    status: 200,
    access: 'key',
    errors: [400, 401, 503],
  },
];

/** Only if the operator has set the public address. */
const ACCOUNT: readonly Operation[] = [
  {
    method: 'post',
    path: '/account/challenge',
    id: 'askChallenge',
    summary: 'Begin to sign in',
    description: 'Gives the text that the wallet signs. Signing in moves no money.',
    tag: 'account',
    body: walletBody,
    answer: challengeAnswer,
    status: 200,
    access: 'free',
    errors: [400, 403, 408, 413, 415, 417, 429],
  },
  {
    method: 'post',
    path: '/account/session',
    id: 'signIn',
    summary: 'Sign in',
    description: 'Takes the signed challenge and sets the cookie of the session.',
    tag: 'account',
    body: signedBody,
    answer: sessionAnswer,
    status: 200,
    access: 'free',
    errors: [400, 401, 403, 408, 413, 415, 417, 429, 503],
  },
  {
    method: 'delete',
    path: '/account/session',
    id: 'signOut',
    summary: 'Sign out',
    description: 'Ends the session on every server.',
    tag: 'account',
    answer: null,
    status: 204,
    access: 'session',
    errors: [403, 503],
  },
  {
    method: 'get',
    path: '/account',
    id: 'getOwnAccount',
    summary: 'The account of the wallet',
    description: 'The same as GET /billing/account, for the wallet that is signed in.',
    tag: 'account',
    answer: accountAnswer,
    status: 200,
    access: 'session',
    errors: [401, 403, 503],
  },
  {
    method: 'post',
    path: '/account/keys',
    id: 'issueKey',
    summary: 'Make a key',
    description: 'The answer is the only one that ever shows the key.',
    tag: 'account',
    body: keyBody,
    answer: keyAnswer,
    status: 201,
    access: 'session',
    errors: [400, 401, 403, 408, 409, 413, 415, 417, 429, 503],
  },
  {
    method: 'delete',
    path: '/account/keys/{id}',
    id: 'revokeKey',
    summary: 'Revoke a key',
    description: 'It opens nothing any more, within a second on every server.',
    tag: 'account',
    parameters: { id: { description: 'Identifier of the key.', schema: { type: 'string' } } },
    answer: null,
    status: 204,
    access: 'session',
    errors: [401, 403, 404, 503],
  },
  {
    method: 'post',
    path: '/account/packs',
    id: 'buyCredits',
    summary: 'Buy credits',
    description:
      'Credits at $0.05 each for the account that is signed in, paid by x402 from any wallet. The official client refuses ' +
      'prices above $1 unless it is told a higher limit.',
    tag: 'account',
    body: packBody,
    answer: packAnswer,
    status: 200,
    access: 'session',
    errors: [400, 401, 402, 403, 408, 409, 413, 415, 417, 429, 503, 504],
  },
];

/** Every public route, in the document's order. */
export const listOperations = (
  served: Served,
  { hasAccounts }: { hasAccounts: boolean },
): readonly Operation[] => [
  ...questions(served),
  ...retraceOperations(served),
  ...SERVICE,
  ...BILLING,
  ...(hasAccounts ? ACCOUNT : []),
];
