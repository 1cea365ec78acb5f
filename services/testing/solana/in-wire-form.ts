import type { RawTransaction } from '../../ingest/solana/encoding/raw-block.ts';
import type { JsonTransaction } from '../world/solana-writer/compile-transaction.ts';
import { serializeTransaction } from '../world/solana-writer/serialize-transaction.ts';
import { keyOf } from './build-transaction.ts';

const HEADER = { numRequiredSignatures: 1, numReadonlySignedAccounts: 0, numReadonlyUnsignedAccounts: 0 };

/** The same transaction as a node answers it in `base64`. */
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
