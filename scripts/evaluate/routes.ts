import { parseArgs } from 'node:util';
import type { TruthLine } from '../../services/demo-world/truth.ts';
import { follow } from '../../services/investigate/follow/follow.ts';
import { HOPS_DEFAULT } from '../../services/investigate/follow/rules.ts';
import { branchesOf, type Trail } from '../../services/investigate/follow/trail.ts';
import { NO_BACKFILLS } from '../../services/investigate/model/backfills.ts';
import { findChain } from '../../services/investigate/model/chain.ts';
import { findVictims } from '../../services/investigate/victims/find-victims.ts';
import { VICTIMS_MAX } from '../../services/investigate/victims/rules.ts';
import type { Loss, VictimsReport } from '../../services/investigate/victims/victims-report.ts';
import { systemClock } from '../../services/platform/clock.ts';
import { createAssetReader } from '../../services/warehouse/read/assets/assets.ts';
import { createPriceReader } from '../../services/warehouse/read/assets/price.ts';
import { createCaseReader } from '../../services/warehouse/read/create-case-reader.ts';
import { createControlReader } from '../../services/warehouse/read/create-control-reader.ts';
import { createFunderReader } from '../../services/warehouse/read/create-funder-reader.ts';
import { createProfileReader } from '../../services/warehouse/read/create-profile-reader.ts';
import { createTokenReader } from '../../services/warehouse/read/create-token-reader.ts';
import { createTransferReader } from '../../services/warehouse/read/create-transfer-reader.ts';
import { say } from '../bench/bench-store.ts';
import { type Bench, type Figure, toFigure } from '../bench/figure.ts';
import { parsePeople, parseSeed, type WorldTables, withWorldTables } from './world-tables.ts';

/**
 * Asks several routes about the same payments of a generated world: what /victims calls a loss, /follow of the victim has to name, and
 * what a trail calls its end, /analyze has to call the same. Each difference is a line on stderr.
 */
const run = async (argv: readonly string[]): Promise<Figure[]> => {
  const { values } = parseArgs({
    args: [...argv],
    options: { world: { type: 'string' }, people: { type: 'string' } },
  });
  const world = { seed: parseSeed(values.world), hardCases: true, ...parsePeople(values.people) };
  return withWorldTables(world, compareRoutes);
};

const compareRoutes = async ({ client, openTruth }: WorldTables): Promise<Figure[]> => {
  const shared = {
    reader: createTransferReader(client),
    prices: createPriceReader(client),
    assets: createAssetReader(client),
    clock: systemClock,
    signal: new AbortController().signal,
  };
  const cases = {
    ...{ cases: createCaseReader(client), funders: createFunderReader(client) },
    ...{ controls: createControlReader(client), tokens: createTokenReader(client), ...shared },
  };
  const profiles = createProfileReader(client);
  const found = { losses: 0, followed: 0, unlike: 0, ends: 0, endsUnlike: 0 };
  const unlike = (what: string): void => say(`differs: ${what}`);
  for (const { chain: name, address } of openTruth().filter(isDrainer)) {
    const chain = findChain(name);
    if (chain === null) throw new Error(`${name}: no such chain`);
    const span = { fromUnixSeconds: 0, toUnixSeconds: 4_294_967_295 };
    const report = await findVictims({ chain, address, ...span, limit: VICTIMS_MAX }, cases);
    for (const { victim, loss } of lossesOf(report)) {
      const trail = await follow(
        {
          ...{
            chain,
            start: victim,
            canonicalAsset: loss.asset.canonicalAsset,
            amount: null,
            tracedRaw: null,
          },
          ...{
            atUnixSeconds: loss.timeUnixSeconds,
            counterparty: null,
            backward: false,
            maxHops: HOPS_DEFAULT,
          },
        },
        { ...shared, backfills: NO_BACKFILLS },
      );
      found.losses += 1;
      if (names(trail, loss.signature)) found.followed += 1;
      else {
        found.unlike += 1;
        const why = `${trail.end.reason}, ${trail.end.why.type} at ${trail.end.address}`;
        unlike(
          `${name} ${victim} lost ${loss.amountRaw} by ${loss.method} in ${loss.signature}; /follow: ${why}`,
        );
      }
      const label = trail.hops.at(-1)?.toLabel ?? null;
      if (label === null) continue;
      found.ends += 1;
      const limits = { signal: shared.signal, timeoutMs: 20_000 };
      const said = await profiles.labelsSaid({ chain: name, wallet: trail.end.address, ...limits });
      if (said.some(({ kind }) => kind === label.kind)) continue;
      found.endsUnlike += 1;
      unlike(`${name} ${trail.end.address} is ${label.kind} in a trail, and not in its profile`);
    }
  }
  const figure = (part: string, unit: string, value: number, atMost?: number): Figure =>
    toFigure({ name: `routes.${part}`, unit, ...(atMost !== undefined && { atMost }) }, [value]);
  return [
    figure('losses', 'losses of victims', found.losses),
    figure('followed', 'losses that a trail of the victim names', found.followed),
    figure('unlike', 'losses that it does not name', found.unlike, 0),
    figure('ends', 'labelled ends of these trails', found.ends),
    figure('ends_unlike', 'ends that the profile calls otherwise', found.endsUnlike, 0),
  ];
};

const isDrainer = (line: TruthLine): line is Extract<TruthLine, { type: 'drainer' }> =>
  line.type === 'drainer';

const lossesOf = ({ victims }: VictimsReport): readonly { readonly victim: string; readonly loss: Loss }[] =>
  victims.flatMap(({ address: victim, losses }) => losses.map((loss) => ({ victim, loss })));

/** Whether the trail tells of the transaction: as a hop, beside one, or as what ends it. */
const names = ({ hops, end }: Trail, signature: string): boolean => {
  const [first] = hops;
  const told = [...(first?.transactions ?? []), ...(first?.others ?? []), ...branchesOf(end)];
  return (
    told.some((each) => each.signature === signature) || ('signature' in end && end.signature === signature)
  );
};

export const evaluation: Bench = { name: 'routes', run };
