import { type Address, presentAddress } from '../../investigate/model/address.ts';
import type { Chain } from '../../investigate/model/chain.ts';
import type { ListedWindow } from '../../investigate/model/history.ts';
import { NATIVE } from '../../investigate/model/movement.ts';
import type { BeingRead } from './read-missing.ts';

/** Of one answer; the newest readings stay. */
const WINDOWS_MAX = 1_000;

/** How single histories were read. */
export const presentRead = (chain: Chain, windows: readonly ListedWindow[]) =>
  joinKinds(windows)
    .slice(-WINDOWS_MAX)
    .map(({ address, first, last, asset, kinds, source, proof, reason, transactions }) => ({
      ...{ chain: chain.name, address: presentAddress(chain, address), from: first, to: last },
      ...{ asset: presentAsset(chain, asset), kinds: [...kinds], source, proof, reason, transactions },
    }));

/** Histories that the answer still lacks, and when they are expected. */
export const presentMissing = (chain: Chain, beingRead: readonly BeingRead[]) =>
  beingRead.map(({ address, first, last, asset, side, withinSeconds }) => ({
    ...{ chain: chain.name, address: presentAddress(chain, address), from: first, to: last },
    ...{ asset: presentAsset(chain, asset), side, seconds: withinSeconds },
  }));

const presentAsset = (chain: Chain, asset: Address | null): string | null =>
  asset === null || asset === NATIVE ? asset : presentAddress(chain, asset);

/** A window is told once for each proof; what is proved of it need not be told as listed. */
const joinKinds = (windows: readonly ListedWindow[]): ListedWindow[] => {
  const proved = windows.filter(({ proof }) => proof === 'proved');
  return windows.flatMap((window) => {
    if (window.proof !== 'listed') return [window];
    const over = proved.filter((each) => isWithin(window, each)).flatMap(({ kinds }) => kinds);
    const kinds = window.kinds.filter((kind) => !over.includes(kind));
    return kinds.length === 0 ? [] : [{ ...window, kinds }];
  });
};

const isWithin = (inner: ListedWindow, outer: ListedWindow): boolean =>
  inner.address === outer.address &&
  inner.asset === outer.asset &&
  outer.first <= inner.first &&
  inner.last <= outer.last;
