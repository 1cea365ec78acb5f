import { encodeBase58 } from '../encoding/base58.ts';
import { readU32 } from '../encoding/exact-integer.ts';
import type { CompiledInstruction } from '../instructions/compiled-instruction.ts';

const KEY_BYTES = 32;

/** Reads instruction data field by field. A field that does not fit is undefined, and so are all after it. */
export class BorshReader {
  readonly #data: Uint8Array;
  readonly #end: number;
  #at: number;

  constructor({ data, start, end }: CompiledInstruction, from: number) {
    this.#data = data;
    this.#end = end;
    this.#at = start + from;
  }

  #take(bytes: number): number | undefined {
    const at = this.#at;
    this.#at = at + bytes <= this.#end ? at + bytes : Number.POSITIVE_INFINITY;
    return this.#at <= this.#end ? at : undefined;
  }

  byte(): number | undefined {
    const at = this.#take(1);
    return at === undefined ? undefined : this.#data[at];
  }

  u32(): number | undefined {
    const at = this.#take(4);
    return at === undefined ? undefined : readU32(this.#data, at);
  }

  skip(bytes: number): void {
    this.#take(bytes);
  }

  key(): string | undefined {
    const at = this.#take(KEY_BYTES);
    return at === undefined ? undefined : encodeBase58(this.#data, at, KEY_BYTES);
  }

  /** null if it is omitted. */
  optionalKey(): string | null | undefined {
    const isGiven = this.byte();
    return isGiven === 0 ? null : isGiven === 1 ? this.key() : undefined;
  }

  /** All zeros mean none. */
  keyOrZeros(): string | null | undefined {
    const key = this.key();
    return key === '11111111111111111111111111111111' ? null : key;
  }

  text(): string | undefined {
    const length = this.u32();
    const at = length === undefined ? undefined : this.#take(length);
    if (length === undefined || at === undefined) return undefined;
    return Buffer.from(this.#data.buffer, this.#data.byteOffset + at, length).toString('utf8');
  }
}
