import type { Backfill } from '../investigate/model/backfills.ts';

/**
 * Readers that know what `before` knows until somebody asks for a wallet, and soon after that what `after` knows: for
 * an API whose calls wait.
 */
export const readWhenAsked = <Ports extends Readonly<Record<string, object>>>(
  before: Ports,
  after: Ports,
  readAtUnixSeconds: number,
) => {
  const asked: string[][] = [];
  let read: Backfill | null = null;
  const switching = Object.entries(before).map(([name, reader]) => [
    name,
    new Proxy(reader, { get: (_, method) => Reflect.get(read ? (after[name] ?? reader) : reader, method) }),
  ]);
  return {
    asked,
    ports: Object.fromEntries(switching) as Ports,
    overrides: {
      waitForWalletsMs: 60_000,
      backfills: () => {
        const last = read;
        return { canBackfill: () => true, lastBackfill: () => last };
      },
      askForWallet: async (chain: string, { address }: { readonly address: string }) => {
        asked.push([chain, address]);
        setTimeout(() => {
          read = { readAtUnixSeconds, missing: 'nothing' };
        }, 20);
        return { withinSeconds: 1 };
      },
    },
  };
};
