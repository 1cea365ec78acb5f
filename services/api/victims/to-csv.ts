import type { VictimsAnswer } from './answer.ts';

const COLUMNS = [
  ...['victim', 'label', 'signature', 'time', 'method', 'asset', 'asset_address', 'amount', 'amount_raw'],
  ...['received_raw', 'refunded_raw', 'usd', 'usd_source', 'intended'],
];

/** One row for each loss, refunded ones included (RFC 4180). */
export const toCsv = ({ victims, refunded }: VictimsAnswer): string => {
  const rows = [...victims, ...refunded].flatMap(({ address, label, losses }) =>
    losses.map(({ asset, ...loss }) => [
      ...[address, label?.name, loss.signature, loss.time, loss.method, asset.symbol, asset.address],
      ...[loss.amount, loss.amount_raw, loss.received_raw, loss.refunded_raw, loss.usd, loss.usd_source],
      loss.intended,
    ]),
  );
  return [COLUMNS, ...rows].map((row) => `${row.map(toCell).join(',')}\r\n`).join('');
};

/** A text that begins like a formula would be run by a spreadsheet: labels and symbols are other people's words. */
const toCell = (value: string | number | null | undefined): string => {
  const text = String(value ?? '');
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};
