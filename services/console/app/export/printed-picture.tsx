import { useMemo } from 'react';
import type { Shown } from '../flow/show-flow.ts';
import { formatTime } from '../shared/format.ts';
import { writeSvg } from './write-svg.ts';

/** On paper stands the whole picture, not the part of it that the window shows. */
export const PrintedPicture = ({ shown }: { shown: Shown }) => {
  const { text, width, height } = useMemo(() => writeSvg(shown), [shown]);
  return (
    <figure className="printed">
      <img
        src={`data:image/svg+xml,${encodeURIComponent(text)}`}
        width={width}
        height={height}
        alt="The way of the money, from left to right"
      />
      <figcaption>
        Solid lines are payments on the chain, dashed ones are inferred. Printed from {location.host},{' '}
        {formatTime(Math.floor(Date.now() / 1_000))}.
      </figcaption>
    </figure>
  );
};
