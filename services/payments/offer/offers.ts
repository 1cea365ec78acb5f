import type { x402ResourceServer } from '@x402/core/server';
import type { PaymentPayload, PaymentRequired, PaymentRequirements } from '@x402/core/types';
import { bazaarResourceServerExtension, declareDiscoveryExtension } from '@x402/extensions/bazaar';
import { declarePaymentIdentifierExtension, PAYMENT_IDENTIFIER } from '@x402/extensions/payment-identifier';
import { PaymentsUnavailableError } from '../book/payment-book.ts';
import type { CreditGrant } from '../decider/events.ts';
import { isSolana } from '../is-solana.ts';
import { explain, type Reason } from '../reasons.ts';
import type { MemoBinder } from './bind-request.ts';
import { createTerms, type TermsOptions } from './terms.ts';

/** A paid request that passed its checks. */
export type PaidRequest = {
  /** From `hashRequest`. */
  readonly hash: string;
  readonly url: string;
  readonly description: string;
  /** Millionths of a dollar. */
  readonly usdMicros: number;
  /** Credits that it buys; absent for a call. */
  readonly grant?: CreditGrant;
  /** The address whose invalid payments are counted together. */
  readonly from?: string;
  /** Called when it is paid before its work is done. From then on nothing may stop the work. */
  readonly keepWorking?: () => void;
  /** How to call the route, for catalogues of paid services. */
  readonly discovery: { readonly example: object; readonly schema: Record<string, unknown> };
};

export type Offers = {
  /** The price on every network. Throws `PaymentsUnavailableError`. */
  make(request: PaidRequest, refused: Reason | null): Promise<PaymentRequired>;
  /** Our terms that the payment fits. Throws `PaymentsUnavailableError`. */
  match(request: PaidRequest, payload: PaymentPayload): Promise<Match>;
};

export type Match =
  | { readonly ok: true; readonly requirements: PaymentRequirements; readonly issuedUnixMs: number | null }
  | { readonly ok: false; readonly reason: Reason };

export const PAYMENT_SECONDS_MAX = 300;

export const createOffers = (options: TermsOptions & { readonly binder: MemoBinder }): Offers => {
  const { networks, binder, clock } = options;
  const readTerms = createTerms(options);

  const priceOf = async (
    server: x402ResourceServer,
    request: PaidRequest,
  ): Promise<PaymentRequirements[]> => {
    const price = `$${(request.usdMicros / 1_000_000).toFixed(6)}`;
    const offered = networks.filter(({ network }) => server.getSupportedKind(2, network, 'exact'));
    if (offered.length === 0) throw new PaymentsUnavailableError('the facilitator serves no network of ours');
    const configs = offered.map(({ network, payTo }) => ({
      scheme: 'exact',
      network,
      payTo,
      price,
      maxTimeoutSeconds: PAYMENT_SECONDS_MAX,
    }));
    return (await Promise.all(configs.map((config) => server.buildPaymentRequirements(config)))).flat();
  };

  const termsOf = (
    request: PaidRequest,
    { network, asset, amount, payTo, extra }: PaymentRequirements,
  ): string[] => [request.hash, network, asset, amount, payTo, String(extra.feePayer)];

  const withExtra = (requirements: PaymentRequirements, extra: object): PaymentRequirements => ({
    ...requirements,
    extra: { ...requirements.extra, ...extra },
  });

  return {
    make: async (request, refused) => {
      const server = await readTerms();
      const nowUnixMs = clock.nowUnixMs();
      const accepts = (await priceOf(server, request)).map((requirements) =>
        isSolana(requirements.network)
          ? withExtra(requirements, { memo: binder.bind(termsOf(request, requirements), nowUnixMs) })
          : requirements,
      );
      const { url, description } = request;
      const price = `This call costs $${(request.usdMicros / 1_000_000).toFixed(2)}.`;
      const error = refused === null ? `payment_required: ${price}` : `${explain(refused)} ${price}`;
      const resource = { url, description, mimeType: 'application/json' };
      return server.createPaymentRequiredResponse(accepts, resource, error, describe(request));
    },
    match: async (request, payload) => {
      const server = await readTerms();
      const { network, extra } = payload.accepted;
      const found = (await priceOf(server, request)).find((requirements) => requirements.network === network);
      if (found === undefined) return { ok: false, reason: 'wrong_price' };
      // A facilitator names one of several fee payers at random: the one in the sealed offer is right.
      const requirements = isSolana(network)
        ? withExtra(found, { memo: extra?.memo, feePayer: extra?.feePayer })
        : found;
      if (server.findMatchingRequirements([requirements], payload) === undefined)
        return { ok: false, reason: 'wrong_price' };
      if (!isSolana(network)) return { ok: true, requirements, issuedUnixMs: null };
      const issuedUnixMs = binder.check(extra?.memo, termsOf(request, requirements));
      return issuedUnixMs === null
        ? { ok: false, reason: 'wrong_request' }
        : { ok: true, requirements, issuedUnixMs };
    },
  };
};

/** How to call the route, and that a client may name its payment. */
const describe = ({ discovery }: PaidRequest): Record<string, unknown> => {
  const { example, schema } = discovery;
  const declared = declareDiscoveryExtension({
    input: { ...example },
    inputSchema: schema,
    bodyType: 'json',
  });
  const { enrichDeclaration } = bazaarResourceServerExtension;
  const enriched = Object.entries(declared).map(([name, declaration]) => [
    name,
    enrichDeclaration?.(declaration, { method: 'POST', adapter: {} }),
  ]);
  return { ...Object.fromEntries(enriched), [PAYMENT_IDENTIFIER]: declarePaymentIdentifierExtension() };
};
