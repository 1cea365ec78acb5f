import { type Chosen, chooseCards } from './choose-cards.ts';
import { applyFilters, type Filtered } from './filters.ts';
import { drawPicture, type Picture } from './picture.ts';
import { type Place, placeCards } from './place-cards.ts';
import { EMPTY_VIEW, evolve, type View, type ViewEvent } from './view-events.ts';

export type Shown = {
  readonly view: View;
  /** All of it, before filters. */
  readonly picture: Picture;
  readonly filtered: Filtered;
  readonly chosen: Chosen;
  readonly places: ReadonlyMap<string, Place>;
};

/**
 * What the events show. Places are given as the events happened one after another, so that a card stands where it
 * stood however it came back.
 */
export const showFlow = (events: readonly ViewEvent[]): Shown => {
  let view = EMPTY_VIEW;
  let picture = drawPicture(view.answers);
  let shown = showOnce(view, picture, new Map());
  for (const event of events) {
    const { answers } = view;
    view = evolve(view, event);
    if (view.answers !== answers) picture = drawPicture(view.answers);
    shown = showOnce(view, picture, shown.places);
  }
  return shown;
};

const showOnce = (view: View, picture: Picture, given: ReadonlyMap<string, Place>): Shown => {
  const filtered = applyFilters(picture, view.filters, view.hidden);
  const chosen = chooseCards(filtered.shown, view.opened);
  return { view, picture, filtered, chosen, places: placeCards(chosen.cards, given) };
};
