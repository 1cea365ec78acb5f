import type { WalletAsked } from '../../events/wallet-events.ts';
import type { AppendRecord, StoredRecord } from '../../platform/event-log/event-log.ts';

/** A requested wallet; null when the record cannot be read, and then `letter` is its dead letter. */
export type QueuedWallet = Pick<StoredRecord, 'topic' | 'partition' | 'offset'> & {
  readonly asked: WalletAsked | null;
  readonly letter: AppendRecord[];
};

/** Wallets in reading order, and how far each partition is done, whatever was read first. */
export class WalletQueue {
  readonly #waiting: QueuedWallet[] = [];
  readonly #open = new Map<number, Set<number>>();
  readonly #end = new Map<number, number>();

  add(
    { topic, partition, offset }: StoredRecord,
    read: { asked: WalletAsked | null; letter: AppendRecord[] },
  ): void {
    this.#waiting.push({ topic, partition, offset, ...read });
    const open = this.#open.get(partition) ?? new Set();
    this.#open.set(partition, open.add(offset));
    this.#end.set(partition, offset + 1);
  }

  /** Charged calls first, otherwise in order of request. */
  next(): QueuedWallet | null {
    const paid = this.#waiting.findIndex(({ asked }) => asked?.isPaid ?? true);
    const [place] = this.#waiting.splice(Math.max(0, paid), 1);
    return place ?? null;
  }

  finish({ partition, offset }: QueuedWallet): void {
    this.#open.get(partition)?.delete(offset);
  }

  /** Everything before it is done. After a crash, wallets read after an open one are read again. */
  commits({ topic, partition }: QueuedWallet) {
    const open = this.#open.get(partition) ?? [];
    const offset = Math.min(this.#end.get(partition) ?? 0, ...open);
    return [{ topic, partition, offset, metadata: '' }];
  }
}
