import type { WalletAsked } from '../../events/wallet-events.ts';
import type { AppendRecord, StoredRecord } from '../../platform/event-log/event-log.ts';

/** A wallet that was asked for; null where the record cannot be read, of which `letter` tells. */
export type QueuedWallet = Pick<StoredRecord, 'topic' | 'partition' | 'offset'> & {
  readonly asked: WalletAsked | null;
  readonly letter: AppendRecord[];
};

/** Wallets in the order in which they are read, and how far each partition is done whatever was read first. */
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

  /** Of calls that are paid for first, else as they were asked. */
  next(): QueuedWallet | null {
    const paid = this.#waiting.findIndex(({ asked }) => asked?.isPaid ?? true);
    const [place] = this.#waiting.splice(Math.max(0, paid), 1);
    return place ?? null;
  }

  finish({ partition, offset }: QueuedWallet): void {
    this.#open.get(partition)?.delete(offset);
  }

  /** Nothing before it is open; after a crash what was read behind an open one is read again. */
  commits({ topic, partition }: QueuedWallet) {
    const open = this.#open.get(partition) ?? [];
    const offset = Math.min(this.#end.get(partition) ?? 0, ...open);
    return [{ topic, partition, offset, metadata: '' }];
  }
}
