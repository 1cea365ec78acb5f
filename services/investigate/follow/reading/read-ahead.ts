import {
  compareRows,
  type FlowPage,
  type FlowsRequest,
  type TransferReader,
} from '../../model/transfer-reader.ts';

/**
 * A reader for one trail of one asset, which does not ask again for what came ahead of its question with the page of the wallet
 * before. It keeps what came last, so that a guess which led nowhere is forgotten with the next.
 */
export const readAhead = (reader: TransferReader): TransferReader => {
  let last: Last | null = null;
  return {
    ...reader,
    departures: async (request) => {
      const held = last && pageAhead(last, request);
      if (held !== null) return held;
      const page = await reader.departures(request);
      last = { request, page };
      return page;
    },
  };
};

type Last = { readonly request: FlowsRequest; readonly page: FlowPage };

/** null where it did not come ahead, or is not all of one page. */
const pageAhead = ({ request, page }: Last, asked: FlowsRequest): FlowPage | null => {
  const rows = page.ahead?.get(asked.wallet)?.filter((row) => compareRows(row, asked.from) >= 0);
  const isSame = request.chain === asked.chain && request.canonicalAsset === asked.canonicalAsset;
  const isWithin = request.ownOnly === asked.ownOnly && compareRows(request.from, asked.from) <= 0;
  if (!asked.transfersOnly || !isSame || !isWithin) return null;
  return rows === undefined || rows.length > asked.limit ? null : { rows, next: null };
};
