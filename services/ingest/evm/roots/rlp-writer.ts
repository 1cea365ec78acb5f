import { malformed } from '../read-hex.ts';

const SHORT_MAX = 55;
const STRING = 0x80;
const LIST = 0xc0;
const BYTES_FIRST = 1 << 16;
/** Characters of an integer that a number holds exactly, and of any. */
const SMALL_MAX = 14;
const WORD_MAX = 66;
/** Of a length: eight bytes and one that says how many. */
const HEADER_MAX = 9;

/**
 * Writes RLP backwards: a list's content exists, and its length is known, before its header is written, so nothing
 * is measured or copied first.
 */
export class RlpWriter {
  #bytes: Buffer;
  #at: number;

  constructor(bytesFirst = BYTES_FIRST) {
    this.#bytes = Buffer.allocUnsafe(bytesFirst);
    this.#at = bytesFirst;
  }

  /** The end of something that will be enclosed. */
  mark(): number {
    return this.#bytes.length - this.#at;
  }

  /** Everything written; valid until the next write. */
  take(): Uint8Array {
    const written = this.#bytes.subarray(this.#at);
    this.#at = this.#bytes.length;
    return written;
  }

  /** Encloses what was written since the mark in a list. */
  list(mark: number): void {
    this.#header(LIST, this.mark() - mark);
  }

  /** The same as one byte string. */
  string(mark: number): void {
    this.#header(STRING, this.mark() - mark);
  }

  byte(value: number): void {
    this.#room(1);
    this.#bytes[--this.#at] = value;
  }

  bytes(value: Uint8Array): void {
    this.raw(value);
    this.#close(value.length);
  }

  /** Raw bytes: finished RLP, or what follows a type. */
  raw(value: Uint8Array): void {
    this.#room(value.length);
    this.#at -= value.length;
    this.#bytes.set(value, this.#at);
  }

  /** Bytes as `0x` and their hex. Throws `BlockFormatError`. */
  hex(value: unknown, field: string): void {
    if (typeof value !== 'string' || value.length % 2 === 1 || !value.startsWith('0x'))
      throw malformed(field, value);
    this.#digits(value, value.slice(2), field);
  }

  /** The same of so many bytes. */
  fixed(value: unknown, length: number, field: string): void {
    if (typeof value !== 'string' || value.length !== 2 + 2 * length) throw malformed(field, value);
    this.hex(value, field);
  }

  /** An integer in nodes' form: shortest hex, nothing for 0. Throws `BlockFormatError`. */
  quantity(value: unknown, field: string): void {
    if (typeof value !== 'string' || value.length < 3 || value.length > WORD_MAX || !value.startsWith('0x'))
      throw malformed(field, value);
    if (value.length <= SMALL_MAX) {
      this.#small(Number(value), field);
      return;
    }
    let start = 2;
    while (start < value.length && value.charCodeAt(start) === 0x30) start++;
    const digits = value.slice(start);
    this.#digits(value, digits.length % 2 === 1 ? `0${digits}` : digits, field);
  }

  /** Faster than going through digits. */
  #small(value: number, field: string): void {
    if (!Number.isInteger(value)) throw malformed(field, value);
    const mark = this.mark();
    this.#room(SMALL_MAX);
    for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) this.#bytes[--this.#at] = rest % 256;
    this.#close(this.mark() - mark);
  }

  #digits(value: string, digits: string, field: string): void {
    const length = digits.length / 2;
    this.#room(length);
    this.#at -= length;
    // It stops at a non-digit.
    if (this.#bytes.write(digits, this.#at, length, 'hex') !== length) throw malformed(field, value);
    this.#close(length);
  }

  /** A byte below 0x80 stands for itself. */
  #close(length: number): void {
    if (length !== 1 || (this.#bytes[this.#at] ?? 0) >= STRING) this.#header(STRING, length);
  }

  #header(kind: number, length: number): void {
    this.#room(HEADER_MAX);
    if (length <= SHORT_MAX) {
      this.#bytes[--this.#at] = kind + length;
      return;
    }
    let count = 0;
    for (let rest = length; rest > 0; rest = Math.floor(rest / 256), count++)
      this.#bytes[--this.#at] = rest % 256;
    this.#bytes[--this.#at] = kind + SHORT_MAX + count;
  }

  #room(length: number): void {
    if (this.#at >= length) return;
    const written = this.#bytes.subarray(this.#at);
    const larger = Buffer.allocUnsafe(2 * this.#bytes.length + length);
    this.#at = larger.length - written.length;
    larger.set(written, this.#at);
    this.#bytes = larger;
  }
}
