import { sha256 } from '@noble/hashes/sha2.js';

/** Version 1: each source chain counts its own messages. */
export const cctpMessageId = (sourceDomain: bigint | number, nonce: bigint): string =>
  `${sourceDomain}:${nonce}`;

/** The facts that both sides of a burn have; addresses in hex, bare or as words. */
export type Burn = {
  readonly sourceDomain: bigint | number;
  readonly destinationDomain: bigint | number;
  readonly token: string;
  readonly recipient: string;
  readonly sender: string;
  /** The burnt amount before fees. */
  readonly burntRaw: bigint;
};

/**
 * Version 2 numbers its messages off chain, so the burning side never learns the number. The fields that both
 * sides have replace it; only an identical payment has the same ones.
 */
export const cctpContentId = (burn: Burn): string => {
  const { sourceDomain, destinationDomain, token, recipient, sender, burntRaw } = burn;
  const words = [token, recipient, sender, burntRaw.toString(16)].map((hex) =>
    hex.replace(/^0x/, '').toLowerCase().padStart(64, '0'),
  );
  const digest = Buffer.from(sha256(Buffer.from(words.join(''), 'hex'))).toString('hex');
  return `${sourceDomain}>${destinationDomain}:${digest}`;
};

/** A message about tokens that were burnt to be issued elsewhere. Addresses are words in hex. */
export type BurnMessage = Pick<Burn, 'token' | 'recipient' | 'sender' | 'burntRaw'> & {
  /** The issued amount: less than the burnt one if there was a fee. */
  readonly amountRaw: bigint;
};

// https://developers.circle.com/cctp/technical-guide#message-format: where its fields stand, and how long it is.
const TOKEN_AT = 4;
const RECIPIENT_AT = 36;
const AMOUNT_AT = 68;
const SENDER_AT = 100;
const FEE_AT = 164;
const BYTES_V1 = 132;
const BYTES_MIN_V2 = 228;

/** null for other messages: anybody may send one this way. */
export const readBurnMessage = (body: Buffer): BurnMessage | null => {
  if (body.length < BYTES_V1) return null;
  const version = body.readUInt32BE(0);
  const isV2 = version === 1 && body.length >= BYTES_MIN_V2;
  if (!isV2 && (version !== 0 || body.length !== BYTES_V1)) return null;
  const wordAt = (at: number): string => `0x${body.toString('hex', at, at + 32)}`;
  const burntRaw = BigInt(wordAt(AMOUNT_AT));
  return {
    token: wordAt(TOKEN_AT),
    recipient: wordAt(RECIPIENT_AT),
    sender: wordAt(SENDER_AT),
    burntRaw,
    amountRaw: burntRaw - (isV2 ? BigInt(wordAt(FEE_AT)) : 0n),
  };
};
