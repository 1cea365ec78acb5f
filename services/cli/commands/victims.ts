import type { Command } from 'commander';
import { LOSS_COLUMNS, toLossRows } from '../../api/victims/loss-rows.ts';
import { countOf } from '../../investigate/model/count-of.ts';
import { showable, showableLines } from '../../platform/showable.ts';
import type { Victims } from '../../sdk/create-spoor.ts';
import { askCommand } from '../questions/ask-command.ts';
import { type ChainName, chainOption } from '../questions/chain-option.ts';
import { drawTable } from '../questions/draw-table.ts';
import { drawDollars, drawParty, drawShare, drawTime, faint } from '../questions/draw-words.ts';
import { parseTime } from '../questions/parse-time.ts';
import { type ReadingOptions, readingBody, withReadingOptions } from '../questions/reading-options.ts';

type Options = ReadingOptions & {
  readonly chain?: ChainName;
  readonly since?: number;
  readonly until?: number;
  readonly limit?: number;
};

/** `spoor victims ADDRESS`: victims of a drainer or thief. */
export const victimsCommand = (): Command =>
  askCommand<Options, Victims>({
    name: 'victims',
    description: 'Name the victims of a drainer or thief, with each loss and how it was taken.',
    arguments: [['address', 'the drainer or thief']],
    addOptions: (command) =>
      withReadingOptions(command)
        .addOption(chainOption())
        .option('--since <time>', 'only losses from then on: unix seconds or ISO 8601', parseTime)
        .option('--until <time>', 'only losses up to then', parseTime)
        .option('--limit <count>', 'how many victims at most, up to 1000', Number),
    example: 'spoor victims ADDRESS --since 2025-09-01 --csv > victims.csv',
    ask: (spoor, [address = ''], { chain, since, until, limit, ...reading }, call) => {
      const options = Object.entries({ chain, since, until, limit }).filter(
        ([, value]) => value !== undefined,
      );
      const body = { address, ...Object.fromEntries(options), ...readingBody(reading) };
      return spoor.victims(body, call);
    },
    draw: drawVictims,
    rows: toLossRows,
    columns: LOSS_COLUMNS,
  });

export const drawVictims = ({ address, label, victims, affiliates, totals, meta }: Victims): string => {
  const lines = [
    drawParty(address, label),
    meta.scope === 'no_data'
      ? '  nothing is known of it: it may still have victims'
      : `  ${countOf(totals.victims, 'victim')} lost ${drawDollars(totals.usd)} in ${countOf(totals.transfers, 'transaction')}; ${countOf(totals.refunded, 'wallet was', 'wallets were')} paid back`,
  ];
  if (victims.length > 0)
    lines.push(
      drawTable(
        ['victim', 'lost', 'how', 'last'],
        victims.map((victim) => [
          drawParty(victim.address, victim.label),
          drawDollars(victim.usd),
          [...new Set(victim.losses.map(({ method }) => method))].join(', '),
          drawTime(victim.last),
        ]),
      ),
    );
  for (const partner of affiliates)
    lines.push(
      `  partner ${showable(partner.address)} got a share of ${drawShare(partner.share)} in ${countOf(partner.transactions, 'transaction')}`,
    );
  if (meta.detail !== null) lines.push(faint(showableLines(meta.detail)));
  return lines.join('\n');
};
