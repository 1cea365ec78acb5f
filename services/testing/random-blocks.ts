import fc from 'fast-check';
import type { DecodedBlock } from '../investigate/model/block.ts';
import { BRIDGE_SIDES } from '../investigate/model/bridge-transfer.ts';
import { CONTROL_KINDS } from '../investigate/model/control-event.ts';
import { MOVEMENT_KINDS } from '../investigate/model/movement.ts';
import { buildBlock, type MovementPlan, type TransactionPlan } from './build-block.ts';

const WETH = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2';
export const WALLETS = ['ann', 'bea', 'cyd', "d'ot", 'eve\\', 'fay 費'];
const ASSETS = ['native', WETH, 'token', 'unlisted'];
export const CANONICAL_ASSETS = ['native', 'token', 'unlisted', 'never seen'];
export const CHAINS = ['ethereum', 'solana'];
export const MESSAGES = ['0:1', "it's", '0:1 ', '2'];

const owner = fc.constantFrom(...WALLETS);
const asset = fc.constantFrom(...ASSETS);
const amount = fc.oneof(fc.constant(0n), fc.bigInt(1n, 1_000n), fc.bigInt(2n ** 200n, 2n ** 256n - 1n));
// Sometimes the coin goes to its wrapped form's contract or comes from there.
const party = fc.oneof({ weight: 12, arbitrary: owner }, { weight: 1, arbitrary: fc.constant(WETH) });
const movement: fc.Arbitrary<MovementPlan> = fc.record({
  from: fc.option(party, { freq: 8 }),
  to: fc.option(party, { freq: 8 }),
  amountRaw: amount,
  kind: fc.oneof(
    { weight: 3, arbitrary: fc.constant('transfer' as const) },
    fc.constantFrom(...MOVEMENT_KINDS),
  ),
  asset,
  authority: fc.option(owner, { nil: null }),
});
const transaction: fc.Arbitrary<Omit<TransactionPlan, 'hash'>> = fc.record({
  sender: owner,
  movements: fc.array(movement, { minLength: 1, maxLength: 6 }),
  swaps: fc.array(
    fc.record({
      owner,
      gaveAsset: asset,
      gaveRaw: amount,
      gotAsset: asset,
      gotRaw: amount,
      through: fc.option(owner),
    }),
    { maxLength: 2 },
  ),
  bridgeTransfers: fc.array(
    fc.record({
      bridge: fc.constantFrom('cctp' as const, 'across' as const),
      side: fc.constantFrom(...BRIDGE_SIDES),
      messageId: fc.option(fc.constantFrom(...MESSAGES)),
      farChain: fc.option(fc.constantFrom(...CHAINS)),
      from: fc.option(owner),
      to: fc.option(owner),
      asset: fc.option(asset),
      amountRaw: fc.option(fc.bigInt(1n, 2n ** 256n - 1n)),
    }),
    { maxLength: 2 },
  ),
  controlEvents: fc.array(
    fc
      .record({
        kind: fc.constantFrom(...CONTROL_KINDS),
        subject: fc.oneof(owner, asset),
        holder: fc.option(owner, { nil: null, freq: 6 }),
        party: fc.option(owner, { nil: null, freq: 6 }),
        asset: fc.option(asset, { nil: null }),
        amountRaw: amount,
        detail: fc.option(fc.constantFrom('mint', '{"name":"it\'s\\n"}'), { nil: null }),
        emitter: fc.option(owner, { nil: null }),
        byHolder: fc.boolean(),
      })
      // Nobody calls anything 2^200 times.
      .map((event) => (event.kind === 'calls' ? { ...event, amountRaw: event.amountRaw % 100n } : event)),
    { maxLength: 3 },
  ),
});

/** Random blocks of two chains in which several share a second, some have no time, and amounts fill 240 bits. */
export const randomBlocks = (seed: number): DecodedBlock[] =>
  CHAINS.flatMap((chain) =>
    fc
      .sample(fc.array(transaction, { minLength: 1, maxLength: 8 }), { seed, numRuns: 60 })
      .map((transactions, at) =>
        buildBlock({
          chain,
          number: 1_000 + at,
          timeUnixSeconds: at < 2 ? null : 1_700_000_000 + Math.floor(at / 3),
          transactions: transactions.map((plan, tx) => ({ ...plan, hash: `${chain}-${at}-${tx}` })),
          assets: [{ asset: `mint ${at % 7}`, decimals: at % 7 }],
        }),
      ),
  );
