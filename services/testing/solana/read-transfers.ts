/**
 * A second reader of Solana blocks: which transfers, mints and burns the instructions of a transaction ask for. It shares
 * no line with the decoder and keeps no ledger, so that a mistake of the one is not repeated by the other.
 */

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const PROGRAMS: Readonly<Record<string, Program>> = {
  '11111111111111111111111111111111': 'system',
  TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA: 'token',
  TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb: 'token-2022',
};

type Program = 'system' | 'token' | 'token-2022';

type Parsed = { readonly type: string; readonly info: Readonly<Record<string, unknown>> };
type Instruction = {
  readonly programIdIndex?: number;
  readonly programId?: string;
  readonly accounts?: readonly (number | string)[];
  readonly data?: string | Buffer;
  readonly parsed?: Parsed;
};
type Message = {
  readonly accountKeys: readonly (string | { readonly pubkey: string })[];
  readonly instructions: readonly Instruction[];
};

/** What a node answers of a transaction, in `json`, `jsonParsed` or `base64`. */
export type NodeTransaction = {
  readonly transaction: { readonly message: Message } | readonly [string, string];
  readonly meta: {
    readonly err: unknown;
    readonly innerInstructions: readonly { readonly instructions: readonly Instruction[] }[];
    readonly loadedAddresses?: { readonly writable: readonly string[]; readonly readonly: readonly string[] };
  };
};

/** The ends are accounts, not their owners; null on the side that a mint or a burn has not. `open`: a token account begins. */
export type ToldTransfer = {
  readonly kind: 'transfer' | 'mint' | 'burn' | 'open';
  readonly program: Program;
  readonly from: string | null;
  readonly to: string | null;
  readonly amountRaw: bigint;
};

const fromBase58 = (text: string): Buffer => {
  let value = 0n;
  for (const digit of text) value = value * 58n + BigInt(ALPHABET.indexOf(digit));
  const hex = value === 0n ? '' : value.toString(16);
  const zeros = Buffer.alloc(/^1*/.exec(text)?.[0].length ?? 0);
  return Buffer.concat([zeros, Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')]);
};

const toBase58 = (bytes: Buffer): string => {
  let text = '';
  for (let value = BigInt(`0x${bytes.toString('hex')}`); value > 0n; value /= 58n)
    text = ALPHABET.charAt(Number(value % 58n)) + text;
  const zeros = [...bytes].findIndex((byte) => byte !== 0);
  return '1'.repeat(zeros === -1 ? bytes.length : zeros) + text;
};

/** The wire form; its counts take seven bits a byte. */
const readWire = (bytes: Buffer): Message => {
  let at = 0;
  const take = (length: number): Buffer => {
    at += length;
    return bytes.subarray(at - length, at);
  };
  const count = (shift = 0): number => {
    const byte = take(1).readUInt8();
    return (byte & 127) * 2 ** shift + (byte < 128 ? 0 : count(shift + 7));
  };
  take(count() * 64);
  if (bytes.readUInt8(at) >= 128) take(1);
  take(3);
  const accountKeys = Array.from({ length: count() }, () => toBase58(take(32)));
  take(32);
  const instructions = Array.from({ length: count() }, () => {
    const programIdIndex = take(1).readUInt8();
    return { programIdIndex, accounts: [...take(count())], data: take(count()) };
  });
  return { accountKeys, instructions };
};

export const messageOf = ({ transaction }: NodeTransaction): Message =>
  'message' in transaction ? transaction.message : readWire(Buffer.from(transaction[0], 'base64'));

export const keysOf = (raw: NodeTransaction, { accountKeys }: Message): string[] => {
  const { writable = [], readonly = [] } = raw.meta.loadedAddresses ?? {};
  const names = accountKeys.map((key) => (typeof key === 'string' ? key : key.pubkey));
  return names.length === accountKeys.length && accountKeys.some((key) => typeof key !== 'string')
    ? names
    : [...names, ...writable, ...readonly];
};

/** Everything that the transaction asked for, whoever called it; nothing where it failed. */
export const readTransfers = (raw: NodeTransaction): ToldTransfer[] => {
  if (raw.meta.err !== null) return [];
  const message = messageOf(raw);
  const keys = keysOf(raw, message);
  const inner = raw.meta.innerInstructions.flatMap(({ instructions }) => instructions);
  return [...message.instructions, ...inner].flatMap((each) => readInstruction(each, keys));
};

const readInstruction = (instruction: Instruction, keys: readonly string[]): ToldTransfer[] => {
  const { programIdIndex = -1, programId = keys[programIdIndex] ?? '', parsed, accounts = [] } = instruction;
  const program = PROGRAMS[programId];
  if (program === undefined) return [];
  if (parsed) return readParsed(program, parsed);
  const { data = '' } = instruction;
  const account = (position: number): string => {
    const named = accounts[position] ?? -1;
    return typeof named === 'string' ? named : (keys[named] ?? '');
  };
  return readData(program, typeof data === 'string' ? fromBase58(data) : data, account);
};

const readData = (program: Program, data: Buffer, account: (position: number) => string): ToldTransfer[] => {
  if (program === 'system')
    return data.length >= 12 && data.readUInt32LE() === 2
      ? [{ kind: 'transfer', program, from: account(0), to: account(1), amountRaw: data.readBigUInt64LE(4) }]
      : [];
  const told = { program, amountRaw: data.length >= 9 ? data.readBigUInt64LE(1) : 0n };
  switch (data[0]) {
    case 3:
      return [{ ...told, kind: 'transfer', from: account(0), to: account(1) }];
    case 12:
      return [{ ...told, kind: 'transfer', from: account(0), to: account(2) }];
    case 7:
    case 14:
      return [{ ...told, kind: 'mint', from: null, to: account(1) }];
    case 8:
    case 15:
      return [{ ...told, kind: 'burn', from: account(0), to: null }];
    case 1:
    case 16:
    case 18:
      return [{ ...told, kind: 'open', from: null, to: account(0) }];
    default:
      return [];
  }
};

const readParsed = (program: Program, { type, info }: Parsed): ToldTransfer[] => {
  const amount = (info.tokenAmount as { amount: string } | undefined)?.amount ?? info.amount ?? info.lamports;
  const told = { program, amountRaw: BigInt(String(amount ?? 0)) };
  if (type === 'transfer' || type === 'transferChecked')
    return [{ ...told, kind: 'transfer', from: String(info.source), to: String(info.destination) }];
  if (type === 'mintTo' || type === 'mintToChecked')
    return [{ ...told, kind: 'mint', from: null, to: String(info.account) }];
  if (type === 'burn' || type === 'burnChecked')
    return [{ ...told, kind: 'burn', from: String(info.account), to: null }];
  if (type.startsWith('initializeAccount'))
    return [{ ...told, kind: 'open', from: null, to: String(info.account) }];
  return [];
};
