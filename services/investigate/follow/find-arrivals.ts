import type { Address } from '../model/address.ts';
import { fromWholeUnits } from '../model/amount.ts';
import type { FlowPage, RowPosition } from '../model/transfer-reader.ts';
import { startPosition } from './begin-journey.ts';
import type { Journey } from './journey.ts';
import type { Arrival } from './outgoing.ts';
import { mayLogFalsely } from './take-outgoing.ts';

/**
 * The money that is followed from the start wallet, in the trail's order: what its counterparty paid it, until that sums to
 * the amount that was named; without a counterparty that amount itself, as if it had arrived just then; without either
 * null. Empty where no such payment is known.
 */
export const findArrivals = async (journey: Journey): Promise<readonly Arrival[] | null> => {
  const { request, asset } = journey;
  const amountRaw = request.amount === null ? null : fromWholeUnits(request.amount, asset.decimals ?? 0);
  if (request.counterparty !== null) return findPaid(journey, request.counterparty, amountRaw);
  return amountRaw === null ? null : [{ ...startPosition(request), amountRaw, isTold: true }];
};

const findPaid = async (
  { request, asset, read, pages }: Journey,
  payer: Address,
  amountRaw: bigint | null,
): Promise<readonly Arrival[]> => {
  const { chain, start, backward } = request;
  const ownOnly = mayLogFalsely(chain, asset.family);
  const arrivals: Arrival[] = [];
  let sumRaw = 0n;
  let rowsRead = 0;
  let from: RowPosition | null = startPosition(request);
  while (from !== null && rowsRead < pages.maxRows) {
    const limit = rowsRead === 0 ? pages.firstRows : pages.nextRows;
    const asked = { chain: chain.name, wallet: payer, family: asset.family, ownOnly, from, limit };
    const page: FlowPage = await read((reader, limits) =>
      backward ? reader.arrivals({ ...asked, ...limits }) : reader.departures({ ...asked, ...limits }),
    );
    for (const row of page.rows) {
      if (row.type !== 'transfer' || row.counterparty !== start) continue;
      arrivals.push(row);
      sumRaw += row.amountRaw;
      if (amountRaw !== null && sumRaw >= amountRaw) return arrivals;
    }
    rowsRead += page.rows.length;
    from = page.next;
  }
  return arrivals;
};
