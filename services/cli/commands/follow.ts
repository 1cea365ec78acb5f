import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import type { Flow, Trail } from '../../sdk/create-spoor.ts';
import { askCommand } from '../questions/ask-command.ts';
import { type ChainName, chainOption } from '../questions/chain-option.ts';
import { drawFlow } from '../questions/draw-flow.ts';
import { drawTrail } from '../questions/draw-trail.ts';
import { toFlowRows } from '../questions/flow-rows.ts';
import { parseTime } from '../questions/parse-time.ts';
import { type ReadingOptions, readingBody, withReadingOptions } from '../questions/reading-options.ts';
import { toTrailRows } from '../questions/trail-rows.ts';

type Options = ReadingOptions & {
  readonly chain?: ChainName;
  readonly asset?: string;
  readonly since?: number;
  readonly until?: number;
  readonly amount?: number;
  readonly counterparty?: string;
  readonly tracedRaw?: string;
  readonly backward?: boolean;
  readonly maxHops?: number;
  readonly graph?: boolean;
  readonly minUsd?: number;
  readonly minProbability?: number;
  readonly starts?: readonly Start[];
};

type Start = { readonly address: string; readonly since?: number };

/** `spoor follow ADDRESS`: where the money went, as a trail. */
export const followCommand = (): Command =>
  askCommand<Options, Trail | Flow>({
    name: 'follow',
    description: 'Follow the money out of a wallet: its main stream, or with --graph every branch.',
    arguments: [['address', 'the wallet to start from']],
    addOptions: (command) =>
      withReadingOptions(command)
        .addOption(chainOption())
        .option(
          '--asset <asset>',
          'native, a symbol, or a token; without it the coin or stablecoin worth most',
        )
        .option('--since <time>', 'only what left from then on: unix seconds or ISO 8601', parseTime)
        .option('--until <time>', 'with --backward: only what arrived up to then', parseTime)
        .option('--amount <number>', 'how much is followed, in whole units', parseNumber)
        .option('--counterparty <address>', 'only what this party paid in; with --backward what it was paid')
        .option('--traced-raw <digits>', 'how much of that is traced money, in raw units: end.next says it')
        .option('--backward', 'follow where the money came from')
        .option('--graph', 'follow every branch, each payment with its probability')
        .option(
          '--starts <wallet...>',
          'with --graph: more wallets to start from, as ADDRESS or ADDRESS@TIME (else --since); needs --asset',
          addStart,
        )
        .option('--min-usd <dollars>', 'with --graph: do not read wallets that got less', parseNumber)
        .option(
          '--min-probability <part>',
          'with --graph: leave out what is less likely, 0 to 1',
          parseNumber,
        )
        .option('--max-hops <count>', 'stop after so many hops, 1 to 50', parseNumber),
    example: 'spoor follow 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed --chain ethereum --since 2025-09-01',
    ask: (spoor, [address = ''], options, call) => {
      const { maxHops, minUsd, minProbability, tracedRaw, graph, ...others } = options;
      const { chain, asset, since, until, amount, counterparty, backward, starts } = others;
      const body = {
        ...{ chain, asset, since, until, amount, counterparty, backward },
        ...{ max_hops: maxHops, traced_raw: tracedRaw },
        ...{ min_usd: minUsd, min_probability: minProbability },
        ...readingBody(others),
        ...(starts !== undefined && { starts: starts.map((start) => withSince(start, since)) }),
      };
      const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
      const asked = { address, ...given };
      return graph ? spoor.followGraph(asked, call) : spoor.follow(asked, call);
    },
    draw: (answer, server) => ('nodes' in answer ? drawFlow(answer, server) : drawTrail(answer, server)),
    rows: (answer) => ('nodes' in answer ? toFlowRows(answer) : toTrailRows(answer)),
  });

const addStart = (text: string, before: readonly Start[] = []): readonly Start[] => {
  const [address = '', time] = text.split('@');
  return [...before, time === undefined ? { address } : { address, since: parseTime(time) }];
};

const withSince = (start: Start, since: number | undefined): Start =>
  since === undefined ? start : { since, ...start };

const parseNumber = (text: string): number => {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError('use a number');
  return value;
};
