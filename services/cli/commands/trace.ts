import { type Command, Option } from 'commander';
import { countOf } from '../../investigate/model/count-of.ts';
import { showable, showableLines } from '../../platform/showable.ts';
import type { Trace } from '../../sdk/create-spoor.ts';
import { askCommand } from '../questions/ask-command.ts';
import { type ChainName, chainOption } from '../questions/chain-option.ts';
import { drawTable } from '../questions/draw-table.ts';
import { drawAmount, drawParty, drawShare, drawTime, faint } from '../questions/draw-words.ts';
import { parseTime } from '../questions/parse-time.ts';
import { type ReadingOptions, readingBody, withReadingOptions } from '../questions/reading-options.ts';

type Options = ReadingOptions & {
  readonly direction: 'in' | 'out';
  readonly chain?: ChainName;
  readonly window?: number;
  readonly time?: number;
  readonly sol?: number;
  readonly usd?: number;
};

/** `spoor trace WALLET COUNTERPARTY SIGNATURE`: candidates on the other side of a service, as a table. */
export const traceCommand = (): Command =>
  askCommand<Options, Trace>({
    name: 'trace',
    description: 'Trace one transfer through a mixer or an exchange to the wallets on the other side.',
    arguments: [
      ['wallet', 'the wallet whose transfer is traced'],
      ['counterparty', 'the pool or exchange wallet'],
      ['signature', 'the transaction of the transfer'],
    ],
    addOptions: (command) =>
      withReadingOptions(command)
        .addOption(
          new Option('--direction <way>', 'out: the wallet paid in; in: it was paid out')
            .choices(['out', 'in'])
            .default('out'),
        )
        .addOption(chainOption())
        .option('--window <seconds>', 'how long to search, up to 604800', Number)
        .option('--time <time>', 'when the transfer was, where it is not indexed', parseTime)
        .option('--sol <number>', 'coin that it moved, where it is not indexed', Number)
        .option('--usd <number>', 'stablecoins that it moved, where it is not indexed', Number),
    example: 'spoor trace WALLET POOL SIGNATURE --direction out --window 86400',
    ask: (spoor, [wallet = '', counterparty = '', signature = ''], options, call) => {
      const { direction, chain, window, time, sol, usd, ...reading } = options;
      const given = Object.entries({ chain, window, time, sol, usd }).filter(
        ([, value]) => value !== undefined,
      );
      const body = {
        ...{ wallet, counterparty, signature, direction },
        ...{ ...Object.fromEntries(given), ...readingBody(reading) },
      };
      return spoor.trace(body, call);
    },
    draw: drawTrace,
    rows: ({ candidates }) =>
      candidates.map((candidate) => ({
        address: candidate.address,
        confidence: candidate.confidence,
        amount: candidate.amount,
        amount_raw: candidate.amount_raw,
        asset: candidate.asset,
        time: candidate.time,
        delta_seconds: candidate.delta_seconds,
        signature: candidate.signature,
        label: candidate.label,
        via: candidate.via,
        same_wallet: candidate.same_wallet,
        evidence: candidate.evidence.map(({ family }) => family).join(' '),
      })),
  });

export const drawTrace = ({
  entity,
  kind,
  anchor,
  candidates,
  candidates_total,
  anonymity_set,
  meta,
}: Trace): string => {
  const rows = candidates.map(({ address, label, confidence, amount, asset, time, evidence }) => [
    drawParty(address, label === null ? null : { name: label, kind: 'label' }),
    drawShare(confidence),
    drawAmount(amount, asset),
    drawTime(time),
    showable(evidence.map(({ family }) => family).join(', ') || 'none'),
  ]);
  return [
    `${drawAmount(anchor.amount, anchor.asset)} through ${showable(entity)} (${kind}), ${drawTime(anchor.time)}`,
    `${countOf(anonymity_set, 'transfer fits', 'transfers fit')}; ${countOf(candidates_total, 'candidate')}. Leads, not proofs.`,
    ...(rows.length > 0 ? [drawTable(['address', 'confidence', 'amount', 'time', 'evidence'], rows)] : []),
    ...(meta.detail === null ? [] : [faint(showableLines(meta.detail))]),
  ].join('\n');
};
