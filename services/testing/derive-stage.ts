import type { DecodedBlock } from '../investigate/model/block.ts';
import { KNOWN_ASSETS } from '../investigate/model/known-assets.ts';
import { NATIVE } from '../investigate/model/movement.ts';
import type { WarehouseClient } from '../platform/warehouse-engine/warehouse.ts';
import { DERIVATIONS, deriveFacts } from '../warehouse/derive/derive-facts.ts';
import { insertLabels } from '../warehouse/labels/insert-labels.ts';
import { updateServiceWallets } from '../warehouse/labels/update-service-wallets.ts';
import { buildBlock, type TransactionPlan } from './build-block.ts';
import { buildLabel } from './build-label.ts';
import { TableStage } from './table-stage.ts';

export const HOUR = 3_600;
/** The full hour at which payments and trades begin. */
export const START = 1_700_000_000 - (1_700_000_000 % HOUR);

/** Tables over which facts are derived. */
export class DeriveStage extends TableStage {
  /** Gives the names of derivations that began again. */
  async derive(
    derivations = DERIVATIONS,
    { client = this.warehouse.writer, ...more }: { client?: WarehouseClient; sliceRows?: number } = {},
  ): Promise<string[]> {
    const restarted: string[] = [];
    const request = {
      lanes: [{ lane: 0, end: this.nextSequence }],
      depth: () => 0,
      ...more,
      signal: new AbortController().signal,
      onRestart: ({ derivation }: { derivation: string }) => void restarted.push(derivation),
    };
    await deriveFacts(client, request, derivations);
    return restarted;
  }

  /** Lists say, from now on, that these wallets are hot wallets of these exchanges; of none where the name is empty. */
  async nameHot(chain: string, wallets: Readonly<Record<string, string>>): Promise<void> {
    const { writer } = this.warehouse;
    const sequence = this.takeSequence();
    const labels = Object.entries(wallets).map(([address, entity]) =>
      buildLabel({ chain, address, entity, kind: 'exchange', name: `exchange ${address}` }),
    );
    await insertLabels(
      writer,
      labels.map((label) => ({ sequence, event: { type: 'LabelAsserted', label } })),
    );
    await updateServiceWallets(
      writer,
      labels.map(({ address }) => ({ chain, address, sequence })),
    );
  }
}

const assetOf = (symbol: string): string =>
  KNOWN_ASSETS.find((known) => known.chain === 'ethereum' && known.symbol === symbol)?.asset ?? symbol;
export const [USDC, USDT, DAI] = [assetOf('USDC'), assetOf('USDT'), assetOf('DAI')];

/** Nine decimals on Solana; on Ethereum six, of the coin and DAI eighteen. */
const rawOf = (chain: string, asset: string, units: number): bigint => {
  const decimals = chain === 'solana' ? 9n : asset === NATIVE || asset === DAI ? 18n : 6n;
  return BigInt(Math.round(units * 1e6)) * 10n ** (decimals - 6n);
};

/** Who paid whom how much, and how many hours after the start. */
export type Payment = readonly [from: string, to: string, units: number, hours: number];

/** Of Solana's coin, unless it says otherwise; signed by whom it comes from, unless it names another authority. */
export const payment = (
  [from, to, units, hours]: Payment,
  at: number,
  { chain = 'solana', asset = NATIVE as string, sender = from, authority = null as string | null } = {},
): DecodedBlock =>
  buildBlock({
    chain,
    number: 1 + at,
    timeUnixSeconds: START + Math.round(hours * HOUR),
    transactions: [
      {
        hash: `pay-${at}`,
        sender,
        movements: [{ from, to, asset, authority, amountRaw: rawOf(chain, asset, units) }],
      },
    ],
  });

/** What was given for what, in whole units. */
export type Trade = readonly [gave: string, gaveUnits: number, got: string, gotUnits: number];

/** Trades on Ethereum in the middle of an hour after the start. */
export const tradesAt = (hour: number, trades: readonly Trade[]): DecodedBlock =>
  buildBlock({
    chain: 'ethereum',
    number: 100 + hour,
    timeUnixSeconds: START + hour * HOUR + HOUR / 2,
    assets: [
      { asset: 'token', decimals: 6 },
      { asset: 'fake usdc', decimals: 6 },
    ],
    transactions: trades.map(([gave, gaveUnits, got, gotUnits], at): TransactionPlan => {
      const owner = `trader ${hour} ${at}`;
      const [gaveRaw, gotRaw] = [rawOf('ethereum', gave, gaveUnits), rawOf('ethereum', got, gotUnits)];
      return {
        hash: `trade-${hour}-${at}`,
        sender: owner,
        movements: [
          { from: owner, to: 'pool', asset: gave, amountRaw: gaveRaw },
          { from: 'pool', to: owner, asset: got, amountRaw: gotRaw },
        ],
        swaps: [{ owner, gaveAsset: gave, gaveRaw, gotAsset: got, gotRaw, through: 'pool' }],
      };
    }),
  });

/** Two customers pay in to an address that passes each payment on to a hot wallet. */
export const SWEPT_TWICE: readonly Payment[] = [
  ['ann', 'box', 5, 0],
  ['box', 'hot', 4.99, 1],
  ['bob', 'box', 7, 30],
  ['box', 'hot', 7, 40],
];
