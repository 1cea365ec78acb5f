import { z } from 'zod';
import { guessChainFamily } from '../../investigate/model/address.ts';
import { CHAINS, findChain } from '../../investigate/model/chain.ts';
import { parseSignature } from '../../investigate/model/signature.ts';
import type { FindTransactionRequest } from '../../investigate/transaction/find-transaction.ts';
import { bodyError, chainField, stringField } from '../body-fields.ts';

/** The body of POST /tx. */
export const createTxSchema = (chains: readonly string[]): z.ZodType<FindTransactionRequest> =>
  z
    .strictObject(
      {
        hash: stringField('The transaction. Base58 on Solana, 0x and 64 hex digits on EVM chains.'),
        chain: chainField(chains).meta({
          description: 'Its chain. Default: solana for base58; for hex every EVM chain is asked.',
        }),
      },
      { error: bodyError },
    )
    .transform(({ hash, chain: name }, context): FindTransactionRequest => {
      const refuse = (path: string, message: string): never => {
        context.addIssue({ code: 'custom', path: [path], message });
        return z.NEVER;
      };
      const named = name === undefined ? null : findChain(name);
      const family = guessChainFamily(hash);
      const [first, ...others] = named
        ? [named]
        : CHAINS.filter((chain) => chain.family === family && chains.includes(chain.name));
      if (first === undefined) return refuse('chain', 'is not served here');
      const parsed = parseSignature(first, hash);
      return parsed === null
        ? refuse('hash', `is not a transaction of ${first.name}`)
        : { chains: [first, ...others], hash: parsed };
    });
