import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type Address,
  address,
  type Base64EncodedWireTransaction,
  createKeyPairSignerFromPrivateKeyBytes,
  getAddressEncoder,
  getBase58Decoder,
  getCompiledTransactionMessageDecoder,
  getProgramDerivedAddress,
  getTransactionDecoder,
  type KeyPairSigner,
  lamports,
  type Transaction,
} from '@solana/kit';
import { FailedTransactionMetadata, LiteSVM } from 'litesvm';
import { messageOf } from '../../platform/message-of.ts';
import { endWithTest } from '../run-program.ts';

export const SOLANA_NETWORK = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
const USDC = address('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v');
const TOKEN_PROGRAM = address('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
const ATA_PROGRAM = address('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL');
const CLOCK = 'SysvarC1ock11111111111111111111111111111111';
const MEMO_PROGRAM = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';

/** A Solana bank with the real token programs, and as much of a node in front of it as payments ask. */
export type PaymentBank = {
  readonly rpcUrl: string;
  /** Of the facilitator, which holds SOL for fees: 64 bytes in base64. */
  readonly facilitatorKey: string;
  /** A new wallet with so many millionths of a dollar, and nothing else. */
  createPayer(usdMicros: bigint): Promise<KeyPairSigner>;
  /** Opens the account in which this owner receives dollars. */
  openAccount(owner: string, usdMicros: bigint): Promise<void>;
  balance(owner: string): Promise<bigint>;
  /** While false, what is sent is carried out, and nobody can see it yet. */
  confirms(isConfirming: boolean): void;
  /** From now on no more signatures are listed at once, whatever is asked for. */
  listsAtMost(rows: number): void;
  /** Transactions signed before this are taken no more. */
  expireBlockhashes(): void;
  stop(): Promise<void>;
};

type Sent = {
  readonly wire: string;
  readonly signature: string;
  readonly accounts: readonly string[];
  readonly memo: string | null;
  readonly err: object | null;
  readonly timeUnixSeconds: number;
};

const mintData = (): Buffer => {
  const data = Buffer.alloc(82);
  data.writeUInt8(6, 44);
  data.writeUInt8(1, 45);
  return data;
};

const accountData = (owner: string, amount: bigint): Buffer => {
  const data = Buffer.alloc(165);
  const encoder = getAddressEncoder();
  data.set(encoder.encode(USDC), 0);
  data.set(encoder.encode(address(owner)), 32);
  data.writeBigUInt64LE(amount, 64);
  data.writeUInt8(1, 108);
  return data;
};

/** What the account of the chain's time holds at this moment. */
const clockData = (): Buffer => {
  const data = Buffer.alloc(40);
  data.writeBigInt64LE(BigInt(Math.floor(Date.now() / 1_000)), 32);
  return data;
};

const tokenAccountOf = async (owner: string): Promise<Address> => {
  const encoder = getAddressEncoder();
  const seeds = [address(owner), TOKEN_PROGRAM, USDC].map((seed) => encoder.encode(seed));
  const [account] = await getProgramDerivedAddress({ programAddress: ATA_PROGRAM, seeds });
  return account;
};

const decode = (encoded: string): Transaction =>
  getTransactionDecoder().decode(Buffer.from(encoded as Base64EncodedWireTransaction, 'base64'));

const readMessage = ({ messageBytes }: Transaction) => {
  const message = getCompiledTransactionMessageDecoder().decode(messageBytes);
  if (!('instructions' in message)) throw new Error('a transaction version that is not known');
  const memo = message.instructions.find(
    ({ programAddressIndex }) => message.staticAccounts[programAddressIndex] === MEMO_PROGRAM,
  );
  return {
    accounts: message.staticAccounts as readonly string[],
    blockhash: message.lifetimeToken as string,
    memo: memo?.data ? Buffer.from(memo.data).toString() : null,
  };
};

const isError = (result: unknown): result is FailedTransactionMetadata =>
  result instanceof FailedTransactionMetadata;

export const startPaymentBank = async (): Promise<PaymentBank> => {
  const svm = new LiteSVM().withBlockhashCheck(false);
  const sent: Sent[] = [];
  let isConfirming = true;
  let rowsMax = 1_000;
  let expired = new Set<string>();
  const setAccount = (at: Address, data: Buffer): void =>
    svm.setAccount({
      address: at,
      data: new Uint8Array(data),
      executable: false,
      lamports: lamports(10_000_000n),
      programAddress: TOKEN_PROGRAM,
      space: BigInt(data.length),
    });
  setAccount(USDC, mintData());
  const openAccount: PaymentBank['openAccount'] = async (owner, usdMicros) =>
    setAccount(await tokenAccountOf(owner), accountData(owner, usdMicros));
  const newSigner = async (): Promise<{ signer: KeyPairSigner; key: string }> => {
    const secret = randomBytes(32);
    const signer = await createKeyPairSignerFromPrivateKeyBytes(new Uint8Array(secret));
    const bytes = Buffer.concat([secret, Buffer.from(getAddressEncoder().encode(signer.address))]);
    return { signer, key: bytes.toString('base64') };
  };
  const facilitator = await newSigner();
  svm.airdrop(facilitator.signer.address, lamports(10_000_000_000n));

  const context = { slot: 1, apiVersion: '2.0.0' };
  const visible = (): Sent[] => (isConfirming ? sent : []);
  const send = (encoded: string): string => {
    const transaction = decode(encoded);
    const { accounts, blockhash, memo } = readMessage(transaction);
    if (expired.has(blockhash)) throw new Error('Blockhash not found');
    const result = svm.sendTransaction(transaction);
    const meta = isError(result) ? result.meta() : result;
    const signature = getBase58Decoder().decode(meta.signature());
    const err = isError(result) ? { InstructionError: [0, 'Custom'] } : null;
    if (err === null || !sent.some((other) => other.signature === signature))
      sent.unshift({
        wire: encoded,
        signature,
        accounts,
        memo,
        err,
        timeUnixSeconds: Math.floor(Date.now() / 1_000),
      });
    return signature;
  };
  const simulate = (encoded: string) => {
    const transaction = decode(encoded);
    if (expired.has(readMessage(transaction).blockhash)) return { err: 'BlockhashNotFound', logs: [] };
    svm.withSigverify(false);
    const result = svm.simulateTransaction(transaction);
    svm.withSigverify(true);
    return { err: isError(result) ? { InstructionError: [0, 'Custom'] } : null, logs: [] };
  };
  const readAccount = (at: string) => {
    const found = svm.getAccount(address(at));
    if (!found.exists) return null;
    const { data, executable, lamports: balance, programAddress, space } = found;
    const held = at === CLOCK ? clockData() : Buffer.from(data);
    const encoded = [held.toString('base64'), 'base64'];
    return {
      data: encoded,
      executable,
      lamports: Number(balance),
      owner: programAddress,
      rentEpoch: 0,
      space: Number(space),
    };
  };

  const METHODS: Readonly<Record<string, (params: [never, never]) => unknown>> = {
    getAccountInfo: ([at]) => ({ context, value: readAccount(at) }),
    getLatestBlockhash: () => ({
      context,
      value: { blockhash: svm.latestBlockhash(), lastValidBlockHeight: 150 },
    }),
    isBlockhashValid: ([blockhash]) => ({ context, value: !expired.has(blockhash) }),
    simulateTransaction: ([encoded]) => ({ context, value: simulate(encoded) }),
    sendTransaction: ([encoded]) => send(encoded),
    getSignatureStatuses: ([signatures]) => ({
      context,
      value: (signatures as string[]).map((signature) => {
        const found = visible().find((one) => one.signature === signature);
        return found
          ? { slot: 1, confirmations: 1, err: found.err, confirmationStatus: 'confirmed', status: {} }
          : null;
      }),
    }),
    getTransaction: ([signature]) => {
      const found = visible().find((one) => one.signature === signature);
      return found ? { slot: 1, meta: { err: found.err }, transaction: [found.wire, 'base64'] } : null;
    },
    getSignaturesForAddress: ([at, { limit, before }]: [string, { limit: number; before?: string }]) => {
      const found = visible().filter(({ accounts }) => accounts.includes(at));
      const first = found.findIndex(({ signature }) => signature === before) + 1;
      return found
        .slice(first, first + Math.min(limit, rowsMax))
        .map(({ signature, memo, err, timeUnixSeconds }) => ({
          signature,
          slot: 1,
          err,
          memo: memo === null ? null : `[${memo.length}] ${memo}`,
          blockTime: timeUnixSeconds,
          confirmationStatus: 'confirmed',
        }));
    },
  };

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString());
    response.setHeader('content-type', 'application/json');
    try {
      const result = METHODS[method]?.(params);
      if (result === undefined) throw new Error(`${method} is not served`);
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    } catch (error) {
      const message = messageOf(error);
      response.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_002, message } }));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  endWithTest(stop);
  return {
    rpcUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    facilitatorKey: facilitator.key,
    createPayer: async (usdMicros) => {
      const { signer } = await newSigner();
      await openAccount(signer.address, usdMicros);
      return signer;
    },
    openAccount,
    balance: async (owner) => {
      const found = svm.getAccount(await tokenAccountOf(owner));
      return found.exists ? Buffer.from(found.data).readBigUInt64LE(64) : 0n;
    },
    confirms: (to) => {
      isConfirming = to;
    },
    listsAtMost: (rows) => {
      rowsMax = rows;
    },
    expireBlockhashes: () => {
      expired = new Set([...expired, svm.latestBlockhash()]);
      svm.expireBlockhash();
    },
    stop,
  };
};
