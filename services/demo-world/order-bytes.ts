import { keccak_256 } from '@noble/hashes/sha3.js';
import { base58 } from '@scure/base';
import { numberOfChain } from '../ingest/bridges/bridge-numbers.ts';
import { NATIVE } from '../investigate/model/movement.ts';
import { ZERO_ADDRESS } from './evm-writer/abi.ts';
import { WRAPPED_SOL } from './solana-writer/instructions.ts';
import type { Offer, Order } from './writer.ts';

/** An address as its own chain has it: 20 bytes of an EVM chain, 32 of Solana. */
export const addressBytes = (address: string): Uint8Array =>
  address.startsWith('0x') ? Buffer.from(address.slice(2), 'hex') : base58.decode(address);

/** Ether is the zero address; SOL is given and taken wrapped. */
export const tokenBytes = ({ chain, asset }: Offer): Uint8Array =>
  addressBytes(asset === NATIVE ? (chain === 'solana' ? WRAPPED_SOL : ZERO_ADDRESS) : asset);

export const debridgeNumber = (chain: string): bigint => {
  const number = numberOfChain('debridge', chain);
  if (number === null) throw new RangeError(`deBridge does not serve ${chain}`);
  return number;
};

const word = (value: bigint): Uint8Array => Buffer.from(value.toString(16).padStart(64, '0'), 'hex');

const sized = (bytes: Uint8Array): Uint8Array => {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([length, bytes]);
};

const offerBytes = (offer: Offer): Uint8Array =>
  Buffer.concat([word(debridgeNumber(offer.chain)), sized(tokenBytes(offer)), word(offer.amountRaw)]);

/** An order in Borsh form, as deBridge's programs of Solana read and tell it: without the optional fields. */
export const orderBytes = ({ nonce, maker, give, take, receiver }: Order): Uint8Array => {
  const counted = Buffer.alloc(8);
  counted.writeBigUInt64LE(nonce);
  const [makerBytes, receiverBytes] = [sized(addressBytes(maker)), sized(addressBytes(receiver))];
  const [allowedTaker, allowedBeneficiary, externalCall] = [0, 0, 0];
  return Buffer.concat([
    ...[counted, makerBytes, offerBytes(give), offerBytes(take), receiverBytes, makerBytes, receiverBytes],
    Uint8Array.of(allowedTaker, allowedBeneficiary, externalCall),
  ]);
};

/** Both chains tell the same one. */
export const orderId = (order: Order): Uint8Array => keccak_256(orderBytes(order));
