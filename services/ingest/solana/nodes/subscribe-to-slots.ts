import { type HeadWatch, keepListening, type ListenOptions, type Subscription } from './keep-listening.ts';

/** Listens to `slotSubscribe`. Without it the head is requested every `waitMs`. */
export const subscribeToSlots = (options: ListenOptions, signal: AbortSignal): HeadWatch =>
  keepListening(options, SLOTS, signal);

const isSlot = (message: string): boolean => {
  try {
    return (JSON.parse(message) as { method?: unknown } | null)?.method === 'slotNotification';
  } catch {
    return false;
  }
};

export const SLOTS: Subscription = {
  request: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'slotSubscribe' }),
  hear: isSlot,
};
