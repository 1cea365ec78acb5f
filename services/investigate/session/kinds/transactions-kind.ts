import {
  type OnChain,
  type TransactionPosition,
  type TransactionRow,
  type TransferReader,
  transactionKey,
} from '../../model/transfer-reader.ts';
import type { Kind } from '../kind.ts';
import { kind } from './make-kind.ts';
import { untilRead } from './until-read.ts';

type Common = OnChain & { readonly limit: number };
/** null: it has too many rows, and what it holds is not known. */
type Answer = readonly TransactionRow[] | null;

/** Whole transactions. */
export const transactionsKind = (
  reader: Pick<TransferReader, 'wholeTransactions'>,
): Kind<Common, TransactionPosition, Answer> =>
  kind<Common, TransactionPosition, Answer>({
    query: untilRead(reader.wholeTransactions),
    textOf: transactionKey,
    isKept: true,
    rowsOf: (rows) => rows?.length ?? 0,
    isCut: (rows) => rows === null,
  });
