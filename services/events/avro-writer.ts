const CAPACITY = 1 << 20;
// The longest number, and the longest amount with its length.
const VALUE_BYTES_MAX = 40;
/** A length of this many characters takes two bytes, one more than a shorter text. */
const SHORT_TEXT = 64;
const LONG_TEXT = 8_192;
const AMOUNT_BYTES_MAX = 32;
const WORD_MAX = 2n ** 64n - 1n;

/**
 * Writes Avro values into a reusable, growing buffer. A library's encoder needs a buffer for each amount and
 * visits each text twice, which takes twice as long here.
 */
export class AvroWriter {
  #bytes = Buffer.allocUnsafe(CAPACITY);
  #view = viewOf(this.#bytes);
  #at = 0;

  /** Forgets everything written. */
  begin(): void {
    this.#at = 0;
  }

  /** A copy of the bytes since `begin`. */
  take(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#at));
  }

  /** Raw bytes without a length. */
  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  /** `int` and `long`, up to 2^52. */
  integer(value: number): void {
    this.#reserve(VALUE_BYTES_MAX);
    let rest = value < 0 ? -2 * value - 1 : 2 * value;
    while (rest >= 0x80) {
      this.#bytes[this.#at++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes[this.#at++] = rest;
  }

  string(text: string): void {
    const { length } = text;
    // A character takes three UTF-8 bytes at most.
    this.#reserve(3 * length + VALUE_BYTES_MAX);
    const start = this.#at + (length < SHORT_TEXT ? 1 : 2);
    const isPlain = length === 0 || (length < LONG_TEXT && this.#bytes.write(text, start) === length);
    this.integer(isPlain ? length : Buffer.byteLength(text));
    this.#at += isPlain ? length : this.#bytes.write(text, this.#at);
  }

  /** `bytes`: unsigned, little-endian, without trailing zeros. Throws `RangeError` above 256 bits. */
  amount(amountRaw: bigint): void {
    if (amountRaw < 0n) throw new RangeError('an amount is never negative');
    this.#reserve(VALUE_BYTES_MAX);
    const start = this.#at + 1;
    let end = start;
    for (let rest = amountRaw; rest > 0n; rest = rest > WORD_MAX ? rest >> 64n : 0n) {
      if (end === start + AMOUNT_BYTES_MAX) throw new RangeError('an amount has at most 256 bits');
      this.#view.setBigUint64(end, rest, true);
      end += 8;
    }
    while (end > start && this.#bytes[end - 1] === 0) end--;
    this.integer(end - start);
    this.#at = end;
  }

  /** `write` writes one item. */
  array<T>(items: readonly T[], write: (item: T) => void): void {
    if (items.length > 0) this.integer(items.length);
    for (const item of items) write(item);
    this.integer(0);
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.#at + bytes));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
    this.#view = viewOf(larger);
  }
}

const viewOf = ({ buffer, byteOffset, length }: Buffer): DataView => new DataView(buffer, byteOffset, length);
