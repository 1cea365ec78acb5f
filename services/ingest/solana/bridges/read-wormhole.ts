import { chainNumbered, numberOfChain, toChainAddress } from '../../bridge-numbers.ts';
import { claimedBy, SOLANA_TOKEN_BRIDGE } from '../../wormhole-claim.ts';
import type { BridgeCall, BridgeContext, BridgeReading } from './bridge-call.ts';

// https://wormhole.com/docs/products/reference/contract-addresses/
const CORE = 'worm2ZoG2kUd4vFXhvjh93UUH596ayRfgQ2MgjNMTth';
/** The account in whose name the token bridge of Solana publishes. */
const EMITTER = '0xec7372995d5cc8732397fb0ad35c0121e0eaa90d26f828a534cab54391b3a4f5';

// Position of the recipient and of its chain behind tag, nonce and amount: plain transfers name a fee before them.
const RECIPIENT_AT: Readonly<Record<number, number>> = { 4: 21, 5: 21, 11: 13, 12: 13 };
const AMOUNT_AT = 5;
const DEPOSIT_BYTES_MIN = 47;
const SEQUENCE = /^Sequence: (\d+)$/;

/**
 * What the token bridge took in one transaction. The number of a message stands in the log alone: where there are not as many
 * as deposits, none is told.
 */
export const readWormholeDeposits = (
  calls: readonly BridgeCall[],
  context: BridgeContext,
): BridgeReading[] => {
  const deposits = calls.filter(
    ({ program, data }) =>
      program === SOLANA_TOKEN_BRIDGE && data.length >= DEPOSIT_BYTES_MIN && (data[0] ?? 0) in RECIPIENT_AT,
  );
  const sequences = context.logs.flatMap(({ programs, text }) =>
    programs.at(-1) === CORE && programs.at(-2) === SOLANA_TOKEN_BRIDGE
      ? (SEQUENCE.exec(text)?.[1] ?? [])
      : [],
  );
  const isTold = sequences.length === deposits.length;
  return deposits.map(({ data }, at) => readDeposit(data, context, (isTold && sequences[at]) || null));
};

const readDeposit = (
  data: Buffer,
  { chain, movements }: BridgeContext,
  sequence: string | null,
): BridgeReading => {
  const recipientAt = RECIPIENT_AT[data[0] ?? 0] ?? 0;
  const far = chainNumbered('wormhole', data.readUInt16LE(recipientAt + 32));
  const amountRaw = data.readBigUInt64LE(AMOUNT_AT);
  // It takes what was moved into place for it before.
  const taken = movements.findLast(
    ({ kind, amountRaw: moved }) => (kind === 'transfer' || kind === 'burn') && moved === amountRaw,
  );
  const number = numberOfChain('wormhole', chain);
  return {
    program: SOLANA_TOKEN_BRIDGE,
    transfer: {
      bridge: 'wormhole',
      side: 'deposit',
      farChain: far?.name ?? null,
      messageId: sequence === null ? null : `${number}/${EMITTER}/${sequence}`,
      from: taken?.from ?? null,
      to: toChainAddress(far, data.toString('hex', recipientAt, recipientAt + 32)),
      asset: taken?.asset ?? null,
      amountRaw,
    },
  };
};

/** Redemptions, plain and with a payload, of tokens of Solana and of others. */
const REDEMPTIONS = [2, 3, 9, 10];
const CLAIM_AT = 3;
/** Who holds the tokens of Solana that are elsewhere; others are issued. */
const CUSTODY = 'GugU1tP7doLeTw9hQP51xRJyS8Da1fWxuiy2rVrnMD2m';

/**
 * What the token bridge paid out in one transaction. It tells the account that marks the message as used, and nothing else; of
 * several at once nothing says whose payment is whose.
 */
export const readWormholeRedemptions = (
  calls: readonly BridgeCall[],
  { movements }: BridgeContext,
): BridgeReading[] => {
  const redemptions = calls.filter(
    ({ program, data }) => program === SOLANA_TOKEN_BRIDGE && REDEMPTIONS.includes(data[0] ?? 0),
  );
  const paid =
    redemptions.length === 1
      ? movements.findLast(({ kind, from }) => kind === 'mint' || (kind === 'transfer' && from === CUSTODY))
      : undefined;
  return redemptions.flatMap(({ program, accounts }) => {
    const claim = accounts[CLAIM_AT];
    if (claim === undefined) return [];
    return {
      program,
      transfer: {
        bridge: 'wormhole',
        side: 'delivery',
        messageId: claimedBy(claim),
        farChain: null,
        from: null,
        to: paid?.to ?? null,
        asset: paid?.asset ?? null,
        amountRaw: paid?.amountRaw ?? null,
      },
    };
  });
};
