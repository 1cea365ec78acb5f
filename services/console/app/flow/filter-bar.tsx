import { useState } from 'react';
import { formatTime, formatUsd } from '../shared/format.ts';
import { type Filtered, type Filters, kindOf } from './filters.ts';
import type { Picture } from './picture.ts';
import type { LinkView, View, ViewEvent } from './view-events.ts';

type Props = {
  readonly view: View;
  readonly picture: Picture;
  readonly filtered: Filtered;
  readonly onAct: (event: ViewEvent) => void;
};

const DOLLARS = [0, 100, 1_000, 10_000, 100_000];
const CHANCES = [0, 0.1, 0.25, 0.5, 0.75, 1];

/** Hides parts of the picture without asking again. What is hidden is counted and named. */
export const FilterBar = ({ view, picture, filtered, onAct }: Props) => {
  const { filters } = view;
  const { cards, links } = picture;
  const kinds = [...new Set([...cards.values()].map(kindOf))].sort();
  const assets = [...new Set([...cards.values()].map(({ symbol }) => symbol))].sort();
  const times = links.flatMap(({ transactions }) => transactions.map(({ time }) => time));
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const set = (changed: Partial<Filters>): void =>
    onAct({ type: 'filtered', filters: { ...filters, ...changed } });
  return (
    <fieldset className="filters" aria-label="Filters">
      <label>
        Lines
        <select
          value={view.as}
          onChange={(event) => onAct({ type: 'viewed', as: event.target.value as LinkView })}
        >
          <option value="relations">merged by relation</option>
          <option value="transactions">single transactions</option>
        </select>
      </label>
      <label>
        From
        <select value={filters.minUsd} onChange={(event) => set({ minUsd: Number(event.target.value) })}>
          {DOLLARS.map((usd) => (
            <option key={usd} value={usd}>
              {usd === 0 ? 'any amount' : formatUsd(usd)}
            </option>
          ))}
        </select>
      </label>
      <label>
        Probability
        <select
          value={filters.minProbability}
          onChange={(event) => set({ minProbability: Number(event.target.value) })}
        >
          {CHANCES.map((chance) => (
            <option key={chance} value={chance}>
              {chance === 0 ? 'any' : `at least ${chance * 100} %`}
            </option>
          ))}
        </select>
      </label>
      <Toggles
        what="Kinds"
        all={kinds}
        hidden={filters.hiddenKinds}
        onChange={(hiddenKinds) => set({ hiddenKinds })}
      />
      {assets.length > 1 && (
        <Toggles
          what="Assets"
          all={assets}
          hidden={filters.hiddenAssets}
          onChange={(hiddenAssets) => set({ hiddenAssets })}
        />
      )}
      {times.length > 0 && first < last && (
        <TimeSlider
          key={filters.untilUnixSeconds}
          first={first}
          last={last}
          until={filters.untilUnixSeconds}
          onUntil={(untilUnixSeconds) => set({ untilUnixSeconds })}
        />
      )}
      <p role="status">{describeHidden(filtered)}</p>
    </fieldset>
  );
};

type SliderProps = {
  readonly first: number;
  readonly last: number;
  /** Unix seconds; null: the end. */
  readonly until: number | null;
  readonly onUntil: (until: number | null) => void;
};

/** While it is drawn nothing is done: one move is one step to undo. */
const TimeSlider = ({ first, last, until, onUntil }: SliderProps) => {
  const [at, setAt] = useState(until ?? last);
  const done = (): void => {
    const next = at >= last ? null : at;
    if (next !== until) onUntil(next);
  };
  return (
    <label>
      Payments until {at >= last ? 'the end' : formatTime(at)}
      <input
        type="range"
        min={first}
        max={last}
        value={at}
        onChange={(event) => setAt(Number(event.target.value))}
        onPointerUp={done}
        onKeyUp={done}
        onBlur={done}
      />
    </label>
  );
};

const describeHidden = ({ hidden }: Filtered): string => {
  if (hidden.length === 0) return 'Nothing is hidden.';
  const unknown = hidden.filter(({ usd }) => usd === null).length;
  const usd = hidden.reduce((sum, card) => sum + (card.usd ?? 0), 0);
  const wallets = hidden.length === 1 ? '1 wallet is hidden' : `${hidden.length} wallets are hidden`;
  return `${wallets}, through which ${formatUsd(usd)} went${unknown > 0 ? `; ${unknown} of them without a price` : ''}.`;
};

type ToggleProps = {
  readonly what: string;
  readonly all: readonly string[];
  readonly hidden: readonly string[];
  readonly onChange: (hidden: readonly string[]) => void;
};

const Toggles = ({ what, all, hidden, onChange }: ToggleProps) => (
  <fieldset>
    <legend>{what}</legend>
    {all.map((name) => (
      <label key={name}>
        <input
          type="checkbox"
          checked={!hidden.includes(name)}
          onChange={(event) =>
            onChange(event.target.checked ? hidden.filter((it) => it !== name) : [...hidden, name])
          }
        />
        {name}
      </label>
    ))}
  </fieldset>
);
