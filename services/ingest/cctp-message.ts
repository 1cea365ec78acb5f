/** Each source chain counts its own messages. */
export const cctpMessageId = (sourceDomain: bigint | number, nonce: bigint): string =>
  `${sourceDomain}:${nonce}`;

/** A message about tokens that were burnt to be issued elsewhere. Addresses are words in hex. */
export type BurnMessage = {
  readonly recipient: string;
  readonly sender: string;
  /** What is issued: less than what was burnt, where something was kept. */
  readonly amountRaw: bigint;
};

// https://developers.circle.com/cctp/technical-guide#message-format: where its fields stand, and how long it is.
const RECIPIENT_AT = 36;
const AMOUNT_AT = 68;
const SENDER_AT = 100;
const FEE_AT = 164;
const BYTES_V1 = 132;
const BYTES_MIN_V2 = 228;

/** null where it is another message: any may be sent this way. */
export const readBurnMessage = (body: Buffer): BurnMessage | null => {
  if (body.length < BYTES_V1) return null;
  const version = body.readUInt32BE(0);
  const isV2 = version === 1 && body.length >= BYTES_MIN_V2;
  if (!isV2 && (version !== 0 || body.length !== BYTES_V1)) return null;
  const wordAt = (at: number): string => `0x${body.toString('hex', at, at + 32)}`;
  const feeRaw = isV2 ? BigInt(wordAt(FEE_AT)) : 0n;
  return {
    recipient: wordAt(RECIPIENT_AT),
    sender: wordAt(SENDER_AT),
    amountRaw: BigInt(wordAt(AMOUNT_AT)) - feeRaw,
  };
};
