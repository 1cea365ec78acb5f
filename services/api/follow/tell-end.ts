import type { Trail } from '../../investigate/follow/trail.ts';
import { tellCaveat } from './tell-caveat.ts';
import { tellWhy } from './tell-why.ts';

/** Why and where a trail ends, and what may make that wrong or incomplete: the one place where a trail is put into words. */
export const tellEnd = (trail: Trail): string => {
  const { address, why, caveats } = trail.end;
  return [tellWhy(trail, address, why), ...caveats.map((caveat) => tellCaveat(trail, address, caveat))].join(
    ' ',
  );
};
