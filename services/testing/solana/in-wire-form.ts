import { base58 } from '@scure/base';
import type { JsonTransaction } from '../../demo-world/solana-writer/compile-transaction.ts';
import { serializeTransaction } from '../../demo-world/solana-writer/serialize-transaction.ts';
import type { RawTransaction } from '../../ingest/solana/encoding/raw-block.ts';
import { join, keyBytes, keyOf, u32 } from './build-transaction.ts';

const HEADER = { numRequiredSignatures: 1, numReadonlySignedAccounts: 0, numReadonlyUnsignedAccounts: 0 };

export type WireEncoding = 'base64' | 'base58';

/** The same transaction as a node answers it in `base64`, of the oldest version. */
export const inWireForm = ({ transaction, meta }: RawTransaction): RawTransaction => {
  const { signatures, message } = transaction as JsonTransaction['transaction'];
  const bytes = serializeTransaction({
    transaction: {
      signatures,
      message: { ...message, header: HEADER, recentBlockhash: keyOf('a recent block') },
    },
    meta: { fee: 0 },
    version: 'legacy',
  });
  return { transaction: [Buffer.from(bytes).toString('base64'), 'base64'], meta };
};

/** Settings of a transaction of version 1: which bits of their mask are set, and four bytes for each of them. */
export type Settings = { readonly mask: number; readonly values: Uint8Array };
const NO_SETTINGS: Settings = { mask: 0, values: new Uint8Array(0) };

const textOf = (bytes: Uint8Array, encoding: WireEncoding): string =>
  encoding === 'base64' ? Buffer.from(bytes).toString('base64') : base58.encode(bytes);

/** The same transaction in version 1 (SIMD-0385), in which heads, accounts and data of its instructions stand apart. */
export const inVersion1 = (
  { transaction, meta }: RawTransaction,
  encoding: WireEncoding,
  { mask, values }: Settings = NO_SETTINGS,
): RawTransaction => {
  const { signatures, message } = transaction as JsonTransaction['transaction'];
  const { accountKeys, instructions } = message;
  const told = instructions.map(({ programIdIndex, accounts, data }) => {
    const bytes = base58.decode(data);
    const head = [programIdIndex, accounts.length, bytes.length & 0xff, bytes.length >> 8];
    return { head, payload: join(accounts, bytes) };
  });
  const bytes = join(
    [0x81, signatures.length, 0, 0],
    u32(mask),
    keyBytes('a recent block'),
    [instructions.length, accountKeys.length],
    ...accountKeys.map(keyBytes),
    values,
    ...told.map(({ head }) => head),
    ...told.map(({ payload }) => payload),
    ...signatures.map((text) => base58.decode(text)),
  );
  return { transaction: [textOf(bytes, encoding), encoding], meta, version: 1 };
};
