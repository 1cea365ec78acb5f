import { HOPS_DEFAULT } from '../../investigate/follow/rules.ts';
import type { SwapOutput } from '../../investigate/follow/swap-output.ts';
import type { FarSide, FollowRequest, ShownHop, Trail } from '../../investigate/follow/trail.ts';
import { type Address, presentAddress } from '../../investigate/model/address.ts';
import { toWholeUnits } from '../../investigate/model/amount.ts';
import { type AssetFamily, isStablecoin } from '../../investigate/model/asset.ts';
import type { Chain } from '../../investigate/model/chain.ts';
import { NATIVE } from '../../investigate/model/movement.ts';

export type NextCall = { readonly path: '/follow' | '/trace'; readonly body: Record<string, unknown> };

type Asked = Pick<FollowRequest, 'maxHops'> & {
  /** Names of the chains that requests may ask for. */
  readonly chains: readonly string[];
};

/** The call that goes on where a trail ends, ready to send; null where none does. */
export const nextCall = (trail: Trail, asked: Asked): NextCall | null => {
  const { chain, backward, end } = trail;
  const last = trail.hops.at(-1);
  const go = (onward: Onward): NextCall => follow(onward, { backward, maxHops: asked.maxHops });
  switch (end.reason) {
    case 'exchange':
    case 'mixer':
      return last === undefined ? null : trace(trail, last);
    case 'dex_swap':
      return end.output && go({ chain, ...toStart(end.output, end), atUnixSeconds: end.timeUnixSeconds });
    case 'bridge':
      return end.output && asked.chains.includes(end.output.chain.name) ? go(behind(end.output)) : null;
    case 'max_hops':
      return last === undefined ? null : go(fromHop(trail, last));
    default:
      return null;
  }
};

type Onward = {
  readonly chain: Chain;
  readonly address: Address;
  readonly asset: string;
  readonly atUnixSeconds: number;
  readonly amount: number | null;
  readonly counterparty?: Address;
};

const follow = (
  { chain, address, asset, atUnixSeconds, amount, counterparty }: Onward,
  { backward, maxHops }: Pick<FollowRequest, 'backward' | 'maxHops'>,
): NextCall => ({
  path: '/follow',
  body: {
    ...{ chain: chain.name, address: presentAddress(chain, address), asset: presentFamily(chain, asset) },
    [backward ? 'until' : 'since']: atUnixSeconds,
    ...(amount === null ? {} : { amount }),
    ...(counterparty === undefined ? {} : { counterparty: presentAddress(chain, counterparty) }),
    ...(backward ? { backward } : {}),
    ...(maxHops === HOPS_DEFAULT ? {} : { max_hops: maxHops }),
  },
});

const presentFamily = (chain: Chain, asset: string): string =>
  asset === NATIVE ? NATIVE : presentAddress(chain, asset);

const toStart = ({ asset, amountRaw, decimals }: SwapOutput, { address }: { readonly address: Address }) => ({
  ...{ address, asset },
  amount: amountRaw === null ? null : toWholeUnits(amountRaw, decimals),
});

const behind = ({ chain, address, asset, amountRaw, timeUnixSeconds }: FarSide): Onward => ({
  ...{ chain, address, asset: asset.asset, atUnixSeconds: timeUnixSeconds },
  amount: toWholeUnits(amountRaw, asset.decimals),
});

/** All that was moved, so that the trail goes on as if it had not been cut. Behind contracts several may have paid. */
const fromHop = ({ chain, asset }: Trail, hop: ShownHop): Onward => ({
  ...{ chain, address: hop.to, asset: asset.family, atUnixSeconds: hop.sinceUnixSeconds },
  amount: toWholeUnits(hop.amountRaw, asset.decimals),
  ...(hop.through.length === 0 ? { counterparty: hop.from } : {}),
});

/** Only the coin and stablecoins can be traced through a service. */
const trace = ({ chain, asset, backward }: Trail, hop: ShownHop): NextCall | null => {
  if (!isTraceable(chain, asset.family)) return null;
  const carried = hop.transactions.find(({ signature }) => signature === hop.signature);
  const amount = toWholeUnits(carried?.amountRaw ?? hop.amountRaw, asset.decimals);
  const isCoin = asset.family === NATIVE;
  return {
    path: '/trace',
    body: {
      ...{ chain: chain.name, wallet: presentAddress(chain, hop.from) },
      ...{ counterparty: presentAddress(chain, hop.to), signature: hop.signature },
      ...{ direction: backward ? 'in' : 'out', time: hop.timeUnixSeconds },
      ...{ sol: isCoin ? amount : 0, usd: isCoin ? 0 : amount },
    },
  };
};

const isTraceable = (chain: Chain, family: AssetFamily): boolean =>
  family === NATIVE || isStablecoin(chain, family);
