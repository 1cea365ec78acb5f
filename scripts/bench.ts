/**
 * `npm run -s bench -- NAME [options]`: one JSON line a figure on stdout, a summary as the last; progress on stderr.
 */
import { bench as api } from './bench/api.ts';
import { bench as decode } from './bench/decode.ts';
import { bench as derive } from './bench/derive.ts';
import type { Bench } from './bench/figure.ts';
import { bench as follow } from './bench/follow.ts';
import { bench as insiders } from './bench/insiders.ts';
import { bench as kafka } from './bench/kafka.ts';
import { bench as labels } from './bench/labels.ts';
import { bench as ledger } from './bench/ledger.ts';
import { bench as live } from './bench/live.ts';
import { bench as log } from './bench/log.ts';
import { bench as pipeline } from './bench/pipeline.ts';
import { bench as retrace } from './bench/retrace.ts';
import { runChosen } from './bench/run-chosen.ts';
import { bench as trace } from './bench/trace.ts';
import { bench as victims } from './bench/victims.ts';

const BENCHES: readonly Bench[] = [
  api,
  decode,
  derive,
  follow,
  insiders,
  kafka,
  labels,
  live,
  ledger,
  log,
  pipeline,
  retrace,
  trace,
  victims,
];
const USAGE = `usage: npm run -s bench -- NAME [options]

  api [--runs N]                         a free and a paid route over a bare Koa
  decode --block FILE [--block FILE …]   parse and decode over JSON.parse of the same bytes; of an EVM block its folder
  derive [--transfers N]                 every derived table from nothing, then its newest hundredth
  follow [--transfers N]                 one hop over SELECT 1, trails of 25 hops, growth to N from a tenth of N
  insiders [--transfers N]               who is an insider of a launched token, over SELECT 1
  live [--seconds N] [--transfers N]     a block of a growing chain until the tables answer with it
  kafka [--transfers N] [--uncompressed] the log on a Kafka broker over the embedded one, and over Kafka's own tool
  labels [--labels N]                    who 1,000 addresses are, over N labels
  ledger [--runs N] [--events N]         reservations over PostgreSQL's, overhead of a call, replay of 1 M events
  log                                    the embedded event log
  pipeline [--transfers N] [--runs N] [--blocks DIR] [--megabytes N] decoded blocks to tables, and replay of the block files of DIR
  retrace [--transfers N] [--anchors N]  many anchors together over one by one, and what single calls wait meanwhile
  trace [--transfers N]                  a week of a busy exchange, over SELECT 1
  victims [--transfers N]                who lost what to a wallet, over SELECT 1
`;

await runChosen(BENCHES, USAGE, process.argv.slice(2));
