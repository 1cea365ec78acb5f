import type { HistoryKind } from '../../../investigate/model/history.ts';
import { NATIVE } from '../../../investigate/model/movement.ts';
import { TRANSFER_TOPIC, WETH_DEPOSIT, WETH_WITHDRAWAL } from '../../evm/read-log.ts';

/** What is asked of one address. */
export type Wanted = {
  readonly address: string;
  readonly kinds: readonly HistoryKind[];
  /** Only transfers of this asset; null: of all. */
  readonly asset: string | null;
};

export type PortalFamily = {
  readonly kinds: readonly HistoryKind[];
  /** Kinds that only some datasets hold. */
  readonly optional: readonly HistoryKind[];
  /** The query, without its window. */
  query(wanted: Wanted): object;
  /** The hash or signature of a transaction in an answer; null if it has none. */
  idOf(transaction: unknown): unknown;
};

/** Every item names its transaction, so that an answer is a list of transactions and nothing else. */
const WITH_TRANSACTION = { transaction: true } as const;

export const EVM_PORTAL: PortalFamily = {
  kinds: ['sent', 'received', 'internal', 'tokens_out', 'tokens_in', 'emitted'],
  optional: ['internal'],
  query: ({ address, kinds, asset }) => {
    const has = (kind: HistoryKind): boolean => kinds.includes(kind);
    const token = asset === null || asset === NATIVE ? {} : { address: [asset] };
    const topic = [`0x${address.slice(2).padStart(64, '0')}`];
    const calls = [{ callFrom: [address] }, { callTo: [address] }, { createFrom: [address] }];
    const traces = [...calls, { suicideAddress: [address] }, { suicideRefundAddress: [address] }];
    const logs = [
      has('tokens_out') && {
        ...token,
        topic0: [TRANSFER_TOPIC, WETH_DEPOSIT, WETH_WITHDRAWAL],
        topic1: topic,
      },
      has('tokens_in') && { ...token, topic0: [TRANSFER_TOPIC], topic2: topic },
      has('emitted') && { address: [address] },
    ];
    return {
      type: 'evm',
      fields: { block: { number: true }, transaction: { hash: true } },
      transactions: [has('sent') && { from: [address] }, has('received') && { to: [address] }].filter(
        Boolean,
      ),
      logs: logs.flatMap((log) => (log ? [{ ...log, ...WITH_TRANSACTION }] : [])),
      ...(has('internal') && { traces: traces.map((trace) => ({ ...trace, ...WITH_TRANSACTION })) }),
    };
  },
  idOf: (transaction) => (transaction as { hash?: unknown } | null)?.hash,
};

export const SOLANA_PORTAL: PortalFamily = {
  kinds: ['sent', 'received', 'internal', 'tokens_out', 'tokens_in'],
  optional: [],
  query: ({ address, kinds, asset }) => {
    const has = (...some: HistoryKind[]): boolean => some.some((kind) => kinds.includes(kind));
    const isCoin = has('sent', 'received', 'internal');
    const ofMint = (side: string) => (asset === null || asset === NATIVE ? {} : { [side]: [asset] });
    const tokens = [
      has('tokens_out') && { preOwner: [address], ...ofMint('preMint') },
      has('tokens_in') && { postOwner: [address], ...ofMint('postMint') },
    ];
    return {
      type: 'solana',
      fields: { block: { number: true }, transaction: { signatures: true } },
      transactions: has('sent') ? [{ feePayer: [address] }] : [],
      balances: isCoin ? [{ account: [address], ...WITH_TRANSACTION }] : [],
      tokenBalances: tokens.flatMap((each) => (each ? [{ ...each, ...WITH_TRANSACTION }] : [])),
    };
  },
  idOf: (transaction) => {
    const { signatures } = (transaction ?? {}) as { signatures?: unknown };
    return Array.isArray(signatures) ? signatures[0] : null;
  },
};
