import type { FollowBody, Spoor, Trace, TraceBody, Trail } from './create-spoor.ts';

/** Trails that lead into one another are cut here: money that goes round would be followed for ever. */
const TRAILS_MAX = 10;

/**
 * Follows the money past swaps and bridges: yields each trail, and asks the next call that its end hands over until no end
 * hands one over. Each trail is a paid call; stop taking them to stop paying.
 */
export async function* followOn(
  spoor: Pick<Spoor, 'follow'>,
  body: FollowBody,
  { trailsMax = TRAILS_MAX }: { trailsMax?: number } = {},
): AsyncGenerator<Trail> {
  let next: FollowBody | null = body;
  for (let asked = 0; next !== null && asked < trailsMax; asked++) {
    const trail: Trail = await spoor.follow(next);
    yield trail;
    next = trail.end.next?.path === '/follow' ? (trail.end.next.body as FollowBody) : null;
  }
}

/** Traces through the exchange or mixer that a trail ends at; null where it ends at neither. */
export const traceEnd = async (spoor: Pick<Spoor, 'trace'>, { end }: Trail): Promise<Trace | null> =>
  end.next?.path === '/trace' ? spoor.trace(end.next.body as TraceBody) : null;
