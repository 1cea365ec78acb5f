import type { Behaviour } from './behaviour.ts';
import { findDrainer, findDrainerPartner } from './find-drainer.ts';
import { findEmptied } from './find-emptied.ts';
import { findExchangeLike } from './find-exchange-like.ts';
import { findFanIn, findFanOut } from './find-fans.ts';
import { findPassThrough } from './find-pass-through.ts';
import { findPoisoned, findPoisoner } from './find-poisoning.ts';
import { findBot, findFresh, findSleeper } from './find-rhythm.ts';
import { findBridgeHopper, findDepositAddress, findMixerUser } from './find-service-use.ts';
import { findWashLoop } from './find-wash-loop.ts';
import type { FindBehaviour, Observed } from './observed.ts';

const ALL: readonly FindBehaviour[] = [
  findDrainer,
  findDrainerPartner,
  findPoisoner,
  findMixerUser,
  findWashLoop,
  findPassThrough,
  findBridgeHopper,
  findEmptied,
  findPoisoned,
  findDepositAddress,
  findExchangeLike,
  findFanIn,
  findFanOut,
  findBot,
  findSleeper,
  findFresh,
];

/** All behaviours that the wallet shows, the most important first. Each says if only a part was seen. */
export const findBehaviours = (observed: Observed): readonly Behaviour[] =>
  ALL.flatMap((find) => find(observed) ?? []).map((behaviour) => ({
    ...behaviour,
    detail: [behaviour.detail, observed.seenIn].filter((sentence) => sentence !== null).join(' '),
  }));
