/**
 * `npm run -s evaluate -- NAME [options]`: measures how right the answers are. The grader reads the truth only
 * after the answers. One JSON line per figure on stdout, a summary as the last; progress on stderr.
 */
import type { Bench } from './bench/figure.ts';
import { runChosen } from './bench/run-chosen.ts';
import { evaluation as analyze } from './evaluate/analyze.ts';
import { evaluation as bridge } from './evaluate/bridge.ts';
import { evaluation as depositAddresses } from './evaluate/deposit-addresses.ts';
import { evaluation as follow } from './evaluate/follow.ts';
import { evaluation as insiders } from './evaluate/insiders.ts';
import { evaluation as labels } from './evaluate/labels.ts';
import { evaluation as lookalikes } from './evaluate/lookalikes.ts';
import { evaluation as mixer } from './evaluate/mixer.ts';
import { evaluation as prices } from './evaluate/prices.ts';
import { evaluation as retrace } from './evaluate/retrace.ts';
import { evaluation as routes } from './evaluate/routes.ts';
import { evaluation as victims } from './evaluate/victims.ts';
import { evaluation as world } from './evaluate/world.ts';

// One file per evaluation in `evaluate/`, which returns figures like a benchmark.
const EVALUATIONS: readonly Bench[] = [
  analyze,
  bridge,
  depositAddresses,
  follow,
  insiders,
  labels,
  lookalikes,
  mixer,
  prices,
  retrace,
  routes,
  victims,
  world,
];
const USAGE = `usage: npm run -s evaluate -- NAME [options]

  analyze --world SEED [--people N] [--each N]
                                    profiles of a world with hard cases: identity, risk, exposure; N of each sort of address
  bridge --records DIR              real crossings of a bridge: payouts found with and without its own numbers
  deposit-addresses --world SEED [--people N]
                                    deposit addresses told by their behaviour: precision, recall
  follow --case DIR [--decoys N] [--decoy-style single|recurring] [--seed N]
                                    a real theft among strangers' money, stream by stream and as a whole flow
  follow --world SEED [--people N] [--decoys N] [--decoy-style …] [--seed N]
                                    generated thefts that split and join, each as a whole flow
  insiders --world SEED [--people N] who had the tokens of a generated world early and is tied to their creators
  labels --list CSV [--import CSV …] how many addresses of a list are known, and as the kind that it says
  lookalikes --list CSV              paid address poisonings: imitations recognised, false alarms
  mixer --events DIR --pairs FILE   a real mixer's history: the rank of the true other side, what confidence is worth
  prices --world SEED               prices made of swaps: their median error
  retrace --world SEED [--people N] [--anchors N]
                                    traces of many transfers together and one by one: anchors that differ in any field
  routes --world SEED [--people N] [--each N]
                                    what several routes say of the same payments of a generated world; N losses and N other
                                    thefts of each chain
  victims --world SEED [--people N]
                                    who lost what to the drainers of a generated world: precision, recall
  world --seed N [--people N]       traces and thefts of a generated world: ranks, what confidence is worth, a placebo, ends
`;

await runChosen(EVALUATIONS, USAGE, process.argv.slice(2));
