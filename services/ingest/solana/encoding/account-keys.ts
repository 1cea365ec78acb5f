import { TransactionFormatError } from '../transaction-format-error.ts';
import { encodeBase58 } from './base58.ts';
import { programKind, programKindOfBytes } from './programs.ts';

/**
 * The account keys of one transaction by index: static keys first, then loaded ones. Keys in bytes are written as
 * base58 only when a row names them, which is rare.
 */
export class AccountKeys {
  readonly count: number;
  private readonly names: (string | undefined)[];
  private readonly kinds: number[] = [];
  private readonly bytes: Uint8Array | null;
  private readonly start: number;
  private readonly staticCount: number;
  private indexes: Map<string, number> | null = null;

  constructor(names: (string | undefined)[], bytes: Uint8Array | null, start: number, staticCount: number) {
    this.names = names;
    this.count = names.length;
    this.bytes = bytes;
    this.start = start;
    this.staticCount = staticCount;
  }

  /** @throws TransactionFormatError `account_index` if the transaction has no such account */
  at(index: number): string {
    const known = this.names[index];
    if (known !== undefined) return known;
    if (this.bytes === null || !(index >= 0 && index < this.staticCount))
      throw new TransactionFormatError('account_index', `there is no account ${index}`);
    const name = encodeBase58(this.bytes, this.start + index * 32, 32);
    this.names[index] = name;
    return name;
  }

  /** Which of the known programs the account is. */
  programKindAt(index: number): number {
    if (this.bytes !== null && index >= 0 && index < this.staticCount)
      return programKindOfBytes(this.bytes, this.start + index * 32);
    let kind = this.kinds[index];
    if (kind === undefined) {
      kind = programKind(this.at(index));
      this.kinds[index] = kind;
    }
    return kind;
  }

  /** undefined if it is no account of the transaction. */
  find(address: unknown): number | undefined {
    if (this.indexes === null) {
      this.indexes = new Map();
      for (let i = this.count - 1; i >= 0; i--) this.indexes.set(this.at(i), i);
    }
    return typeof address === 'string' ? this.indexes.get(address) : undefined;
  }

  /** @throws TransactionFormatError `account_unknown` if an instruction names an address that is no account of it */
  indexOf(address: unknown): number {
    const index = this.find(address);
    if (index === undefined)
      throw new TransactionFormatError(
        'account_unknown',
        `${String(address)} is no account of the transaction`,
      );
    return index;
  }
}
