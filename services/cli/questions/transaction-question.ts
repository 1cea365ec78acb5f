import { isSignature } from '../../investigate/model/signature.ts';
import { showable, showableLines } from '../../platform/showable.ts';
import type { Transaction } from '../../sdk/create-spoor.ts';
import type { ChainName } from './chain-option.ts';
import { drawNext } from './draw-next.ts';
import { PRICES_PENDING } from './draw-trail.ts';
import { drawExact, drawParty, drawTime, faint, linkTo } from './draw-words.ts';
import type { Question } from './question.ts';

const NEXT_DRAWN = 3;

type Options = { readonly chain?: ChainName };

/** Also asked where another question is given a hash in place of an address. */
export const transactionQuestion: Omit<Question<Options, Transaction>, 'addOptions'> = {
  name: 'tx',
  description: 'List what a transaction moved, with the commands that go on from it.',
  arguments: [['hash', 'the transaction']],
  example: 'spoor tx HASH',
  ask: (spoor, [hash = ''], { chain }, call) => spoor.tx({ hash, ...(chain && { chain }) }, call),
  draw: (transaction, server) => drawTransaction(transaction, server),
  rows: ({ chain, hash, time, movements }) =>
    movements.map(({ from_label: payer, to_label: payee, asset, ...movement }) => ({
      ...movement,
      ...{ from_label: payer?.name ?? null, to_label: payee?.name ?? null },
      ...{ asset: asset.address ?? 'native', symbol: asset.symbol },
      ...{ time, hash, link: linkTo(chain, hash) },
    })),
};

export const isHash = (text: string): boolean => isSignature('evm', text) || isSignature('solana', text);

export const drawTransaction = (transaction: Transaction, server = ''): string => {
  const { chain, hash, time, sender, sender_label: label, movements, meta } = transaction;
  const lines = [showable(hash), `  ${faint(linkTo(chain, hash))}`];
  if (time !== null) lines.push(`  ${showable(chain)}, ${drawTime(time)}`);
  if (sender !== null) lines.push(`  sent by ${drawParty(sender, label)}`);
  for (const { from, from_label, to, to_label, asset, amount_raw, usd } of movements)
    lines.push(
      `  ├─ ${drawExact(amount_raw, { ...asset, symbol: asset.symbol ?? asset.address }, usd)}  ${drawParty(from, from_label)} → ${drawParty(to, to_label)}`,
    );
  if (meta.detail !== null) lines.push(faint(showableLines(meta.detail)));
  if (meta.prices === 'pending' && movements.some(({ usd }) => usd === null))
    lines.push(faint(PRICES_PENDING));
  const next = nextOf(transaction, server);
  if (next.length > 0) lines.push('', 'Next:', ...next.map((command) => `  ${command}`));
  return lines.join('\n');
};

/** Where the money of each payment went, of the most dollars first. */
const nextOf = ({ chain, time, movements }: Transaction, server: string): readonly string[] => {
  const payments = new Map(
    movements.map((movement) => [`${movement.from} ${movement.to} ${movement.asset.address}`, movement]),
  );
  return [...payments.values()]
    .sort((a, b) => (b.usd ?? 0) - (a.usd ?? 0))
    .slice(0, NEXT_DRAWN)
    .map(({ from: counterparty, to: address, asset }) => {
      const body = { address, chain, asset: asset.address ?? 'native', since: time, counterparty };
      return drawNext({ path: '/follow', body }, server);
    });
};
