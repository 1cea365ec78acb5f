import type { Config } from '../platform/config/config.ts';
import { messageOf } from '../platform/message-of.ts';
import { showableLine } from '../platform/showable.ts';
import { openStore, placesOf, type Store, type StoreName } from '../roles/store/open-store.ts';
import { EXIT_INTERRUPTED } from './interrupt.ts';
import { whileWaiting } from './reports/start-waiting.ts';

const INTERRUPTS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Opens a store for a command and reports on stderr, once each, what it waits for. Until it is open an interrupt
 * has nothing to finish.
 */
export const openToldStore = async (config: Config, name: StoreName): Promise<Store> => {
  const told = new Set<string>();
  const onError = (error: unknown): void => {
    const reason = messageOf(error);
    if (!told.has(reason)) process.stderr.write(`${showableLine(`trying again: ${reason}`)}\n`);
    told.add(reason);
  };
  const leave = (): never => process.exit(EXIT_INTERRUPTED);
  for (const signal of INTERRUPTS) process.on(signal, leave);
  try {
    return await whileWaiting('opening the store', () => openStore({ ...placesOf(config), name, onError }));
  } finally {
    for (const signal of INTERRUPTS) process.off(signal, leave);
  }
};
