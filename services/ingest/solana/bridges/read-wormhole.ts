import { chainNumbered, numberOfChain, toChainAddress } from '../../bridges/bridge-numbers.ts';
import { claimedBy, SOLANA_TOKEN_BRIDGE } from '../../bridges/wormhole-claim.ts';
import { type BridgeCall, type BridgeContext, type BridgeReading, findOwn } from './bridge-call.ts';

// https://wormhole.com/docs/products/reference/contract-addresses/
const CORE = 'worm2ZoG2kUd4vFXhvjh93UUH596ayRfgQ2MgjNMTth';
/** The account that signs messages of Solana's token bridge. */
const EMITTER = '0xec7372995d5cc8732397fb0ad35c0121e0eaa90d26f828a534cab54391b3a4f5';

// Offsets of recipient and its chain after tag, nonce and amount: plain transfers have a fee before them.
const RECIPIENT_AT: Readonly<Record<number, number>> = { 4: 21, 5: 21, 11: 13, 12: 13 };
const AMOUNT_AT = 5;
const DEPOSIT_BYTES_MIN = 47;
/** Index of the source token account in each instruction. */
const SOURCE_AT = 2;
const SEQUENCE = /^Sequence: (\d+)$/;

/**
 * The deposits that the token bridge took in one transaction. A message's number is only in the log of the
 * run that sent it, because other programs send messages, too.
 */
export const readWormholeDeposits = (
  calls: readonly BridgeCall[],
  context: BridgeContext,
): BridgeReading[] => {
  const deposits = calls.filter(
    ({ program, data }) =>
      program === SOLANA_TOKEN_BRIDGE && data.length >= DEPOSIT_BYTES_MIN && (data[0] ?? 0) in RECIPIENT_AT,
  );
  const sequences = readSequences(context);
  return deposits.map((call) => readDeposit(call, context, sequences.get(call) ?? null));
};

const readSequences = ({ logs, callOf }: BridgeContext): ReadonlyMap<BridgeCall, string> => {
  const sequences = new Map<BridgeCall, string>();
  for (const { run, text } of logs) {
    if (run.program !== CORE || run.caller?.program !== SOLANA_TOKEN_BRIDGE) continue;
    const [, sequence] = SEQUENCE.exec(text) ?? [];
    const call = callOf(run.caller);
    if (sequence !== undefined && call !== null) sequences.set(call, sequence);
  }
  return sequences;
};

const readDeposit = (
  call: BridgeCall,
  { chain, movements }: BridgeContext,
  sequence: string | null,
): BridgeReading => {
  const { data, accounts, holdings } = call;
  const recipientAt = RECIPIENT_AT[data[0] ?? 0] ?? 0;
  const far = chainNumbered('wormhole', data.readUInt16LE(recipientAt + 32));
  const wholeRaw = data.readBigUInt64LE(AMOUNT_AT);
  const source = holdings.get(accounts[SOURCE_AT] ?? '');
  const number = numberOfChain('wormhole', chain);
  const taken = findOwn(
    call,
    movements,
    (row) =>
      (row.kind === 'burn' || row.kind === 'transfer') &&
      row.from === source?.owner &&
      row.asset === source?.asset &&
      isCutFrom(wholeRaw, row.amountRaw),
  );
  return {
    program: SOLANA_TOKEN_BRIDGE,
    taken,
    transfer: {
      bridge: 'wormhole',
      side: 'deposit',
      farChain: far?.name ?? null,
      messageId: sequence === null ? null : `${number}/${EMITTER}/${sequence}`,
      from: source?.owner ?? null,
      to: toChainAddress(far, data.toString('hex', recipientAt, recipientAt + 32)),
      asset: source?.asset ?? null,
      amountRaw: movements[taken ?? -1]?.amountRaw ?? wholeRaw,
    },
  };
};

/** Messages have eight decimals, so the last digits of finer amounts stay behind. */
const isCutFrom = (wholeRaw: bigint, amountRaw: bigint): boolean => {
  for (let unit = 1n; unit <= wholeRaw; unit *= 10n)
    if (amountRaw === wholeRaw - (wholeRaw % unit)) return true;
  return false;
};

/** Redemptions with and without payload, of Solana's tokens and of foreign ones. */
const REDEMPTIONS = [2, 3, 9, 10];
const CLAIM_AT = 3;
/** Index of the filled token account, which the message names. */
const TARGET_AT = 5;
/** The account that holds Solana's tokens while they are elsewhere; foreign ones are issued. */
const CUSTODY = 'GugU1tP7doLeTw9hQP51xRJyS8Da1fWxuiy2rVrnMD2m';

/**
 * What the token bridge paid in one transaction. It names the account that marks the message as used and the
 * filled one, but no amount. The first row that only the bridge can make is the payment; the next is the
 * redeemer's fee.
 */
export const readWormholeRedemptions = (
  calls: readonly BridgeCall[],
  { movements }: BridgeContext,
): BridgeReading[] =>
  calls.flatMap((call) => {
    const { program, accounts, data, holdings } = call;
    const claim = accounts[CLAIM_AT];
    if (program !== SOLANA_TOKEN_BRIDGE || !REDEMPTIONS.includes(data[0] ?? 0) || claim === undefined)
      return [];
    const target = holdings.get(accounts[TARGET_AT] ?? '');
    const paid = findOwn(
      call,
      movements,
      ({ kind, from, to, asset }) =>
        (kind === 'mint' || (kind === 'transfer' && from === CUSTODY)) &&
        to === target?.owner &&
        asset === target?.asset,
    );
    return {
      program,
      taken: null,
      transfer: {
        bridge: 'wormhole',
        side: 'delivery',
        messageId: claimedBy(claim),
        farChain: null,
        from: null,
        to: target?.owner ?? null,
        asset: target?.asset ?? null,
        amountRaw: movements[paid ?? -1]?.amountRaw ?? null,
      },
    };
  });
