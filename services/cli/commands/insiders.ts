import type { Command } from 'commander';
import { countOf } from '../../investigate/model/count-of.ts';
import { showable, showableLines } from '../../platform/showable.ts';
import type { Insiders } from '../../sdk/create-spoor.ts';
import { askCommand } from '../questions/ask-command.ts';
import { type ChainName, chainOption } from '../questions/chain-option.ts';
import { drawTable } from '../questions/draw-table.ts';
import {
  drawConfidence,
  drawDollars,
  drawParty,
  drawShare,
  drawTime,
  faint,
  linkTo,
} from '../questions/draw-words.ts';
import { type ReadingOptions, readingBody, withReadingOptions } from '../questions/reading-options.ts';

type Options = ReadingOptions & { readonly chain?: ChainName; readonly window?: number };

/** `spoor insiders TOKEN`: early holders tied to its creator. */
export const insidersCommand = (): Command =>
  askCommand<Options, Insiders>({
    name: 'insiders',
    description: 'Find who had a token early and is tied to its creator or to one another.',
    arguments: [['token', 'mint or contract']],
    addOptions: (command) =>
      withReadingOptions(command)
        .addOption(chainOption())
        .option(
          '--window <seconds>',
          'how long after the launch a buyer counts as early, up to 3600',
          Number,
        ),
    example: 'spoor insiders TOKEN --chain solana --window 120',
    ask: (spoor, [token = ''], { chain, window, ...reading }, call) =>
      spoor.insiders(
        { token, ...(chain && { chain }), ...(window !== undefined && { window }), ...readingBody(reading) },
        call,
      ),
    draw: drawInsiders,
    rows: ({ insiders }) =>
      insiders.map((insider) => ({
        address: insider.address,
        kinds: insider.kinds.join(' '),
        confidence: insider.confidence,
        share_bought: insider.share_bought,
        share_held: insider.share_held,
        bought_usd: insider.bought_usd,
        sold_usd: insider.sold_usd,
        profit_usd: insider.profit_usd,
        first_buy: insider.first_buy,
      })),
  });

export const drawInsiders = ({
  chain,
  token,
  creator,
  launch,
  insiders,
  totals,
  why_none,
  meta,
}: Insiders): string => {
  const lines = [`${showable(token.symbol ?? 'token')} ${showable(token.address)}`];
  if (creator) lines.push(`  creator ${drawParty(creator.address, creator.label)}`);
  if (creator?.funder) lines.push(`  funded by ${drawParty(creator.funder, creator.funder_label)}`);
  if (launch) lines.push(`  launched ${drawTime(launch.time)} in ${linkTo(chain, launch.signature)}`);
  if (launch)
    lines.push(
      `  ${countOf(totals.insiders, 'insider holds', 'insiders hold')} ${drawShare(totals.share_held)} of the supply`,
    );
  if (insiders.length > 0)
    lines.push(
      drawTable(
        ['insider', 'why', 'bought of the supply', 'holds of the supply', 'profit'],
        insiders.map((insider) => [
          drawParty(insider.address, insider.label),
          `${insider.kinds.join(', ')} (${drawConfidence(insider.confidence)})`,
          drawShare(insider.share_bought),
          drawShare(insider.share_held),
          drawDollars(insider.profit_usd),
        ]),
      ),
    );
  if (why_none !== null) lines.push(showableLines(why_none));
  if (meta.detail !== null) lines.push(faint(showableLines(meta.detail)));
  return lines.join('\n');
};
