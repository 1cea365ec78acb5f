import { formatTime, formatUsd } from '../shared/format.ts';
import { type Filtered, type Filters, kindOf } from './filters.ts';
import { drawPicture } from './picture.ts';
import type { View, ViewEvent } from './view-events.ts';

type Props = { readonly view: View; readonly filtered: Filtered; readonly onAct: (event: ViewEvent) => void };

const DOLLARS = [0, 100, 1_000, 10_000, 100_000];
const CHANCES = [0, 0.1, 0.25, 0.5, 0.75, 1];

/** Hides parts of the picture without asking again. What is hidden is counted and named. */
export const FilterBar = ({ view, filtered, onAct }: Props) => {
  const { filters } = view;
  const { cards, links } = drawPicture(view.answers);
  const kinds = [...new Set([...cards.values()].map(kindOf))].sort();
  const assets = [...new Set([...cards.values()].map(({ symbol }) => symbol))].sort();
  const times = links.flatMap(({ transactions }) => transactions.map(({ time }) => time));
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const set = (changed: Partial<Filters>): void =>
    onAct({ type: 'filtered', filters: { ...filters, ...changed } });
  return (
    <fieldset className="filters" aria-label="Filters">
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
        <label>
          Payments until{' '}
          {filters.untilUnixSeconds === null ? 'the end' : formatTime(filters.untilUnixSeconds)}
          <input
            type="range"
            min={first}
            max={last}
            value={filters.untilUnixSeconds ?? last}
            onChange={(event) => {
              const at = Number(event.target.value);
              set({ untilUnixSeconds: at >= last ? null : at });
            }}
          />
        </label>
      )}
      <p role="status">{describeHidden(filtered)}</p>
    </fieldset>
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
