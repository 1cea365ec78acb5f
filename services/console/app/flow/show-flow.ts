import { type Chosen, chooseCards } from './choose-cards.ts';
import { applyFilters, type Filtered } from './filters.ts';
import { drawPicture } from './picture.ts';
import { type Place, placeCards } from './place-cards.ts';
import { showView, type View, type ViewEvent } from './view-events.ts';

export type Shown = {
  readonly view: View;
  readonly filtered: Filtered;
  readonly chosen: Chosen;
  readonly places: ReadonlyMap<string, Place>;
};

/**
 * What the events show. Places are given as the events happened one after another, so that a card stands where it
 * stood however it came back.
 */
export const showFlow = (events: readonly ViewEvent[]): Shown => {
  let places: ReadonlyMap<string, Place> = new Map();
  let shown = showOnce([], places);
  for (let count = 1; count <= events.length; count++) {
    shown = showOnce(events.slice(0, count), places);
    places = shown.places;
  }
  return shown;
};

const showOnce = (events: readonly ViewEvent[], given: ReadonlyMap<string, Place>): Shown => {
  const view = showView(events);
  const filtered = applyFilters(drawPicture(view.answers), view.filters, view.hidden);
  const chosen = chooseCards(filtered.shown, view.opened);
  return { view, filtered, chosen, places: placeCards(chosen.cards, given) };
};
