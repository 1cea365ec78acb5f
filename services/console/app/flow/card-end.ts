import { wordsOfEnd, wordsOfFrontier } from './outcomes.ts';
import type { Card } from './picture.ts';

/** Why the money is not followed on from here, in words. */
export const endOf = ({ ends, unread }: Card): string =>
  unread !== null ? wordsOfFrontier(unread) : ends.map(({ reason }) => wordsOfEnd(reason)).join(', ');
