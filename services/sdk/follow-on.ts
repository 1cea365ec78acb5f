import type { FollowBody, Spoor, Trace, TraceBody, Trail } from './create-spoor.ts';

/** A limit for trails that lead back into each other. */
const TRAILS_MAX = 10;

/**
 * Follows the money past swaps and bridges: yields each trail and asks its `end.next` until there is none. Each
 * trail is a paid call; stop iterating to stop paying.
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

/** Traces through the exchange or mixer at a trail's end; null if it ends elsewhere. */
export const traceEnd = async (spoor: Pick<Spoor, 'trace'>, { end }: Trail): Promise<Trace | null> =>
  end.next?.path === '/trace' ? spoor.trace(end.next.body as TraceBody) : null;
