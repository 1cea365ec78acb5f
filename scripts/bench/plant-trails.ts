import type { DecodedBlock } from '../../services/investigate/model/block.ts';
import { buildBlock } from '../../services/testing/build-block.ts';

const SECONDS_APART = 60;
/** Far above other amounts, and further apart than a fee: each is unique. */
const FIRST_RAW = 10n ** 12n;

type Planting = {
  readonly trails: number;
  readonly hops: number;
  /** The wallets of all trails, one trail after the other; `hops + 1` each. */
  readonly walletOf: (at: number) => string;
};

/** Money that moves from wallet to wallet after the last block, one block per hop, through used wallets. */
export function* plantTrails(
  last: DecodedBlock,
  { trails, hops, walletOf }: Planting,
): Generator<DecodedBlock> {
  for (let hop = 0; hop < hops; hop += 1) {
    yield buildBlock({
      chain: last.chain,
      number: last.number + 1 + hop,
      timeUnixSeconds: (last.timeUnixSeconds ?? 0) + SECONDS_APART * (hop + 1),
      transactions: Array.from({ length: trails }, (_, trail) => {
        const [from = '', to = ''] = [hop, hop + 1].map((at) => walletOf(trail * (hops + 1) + at));
        const amountRaw = (FIRST_RAW * BigInt(100 + 5 * trail)) / 100n;
        return { hash: `planted-${trail}-${hop}`, sender: from, movements: [{ from, to, amountRaw }] };
      }),
    });
  }
}
