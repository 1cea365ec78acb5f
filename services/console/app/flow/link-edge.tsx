import { BaseEdge, type Edge, EdgeLabelRenderer, type EdgeProps } from '@xyflow/react';
import { curveOf, type Line } from './lines.ts';

/** Payments of one wallet to another. A solid line is a fact, a dashed one an inference. */
export const LinkEdge = (props: EdgeProps<Edge<{ line: Line }, 'link'>>) => {
  const { data, sourceX, sourceY, targetX, targetY, markerEnd } = props;
  if (data === undefined) return null;
  const { link, words, shift } = data.line;
  const { path, x, y } = curveOf({ x: sourceX, y: sourceY }, { x: targetX, y: targetY }, shift);
  return (
    <>
      <BaseEdge
        path={path}
        {...(markerEnd !== undefined && { markerEnd })}
        className={`link ${link.kind} ${link.isFact ? 'fact' : 'inference'}`}
        style={{ strokeOpacity: 0.35 + 0.65 * link.probability }}
      />
      <EdgeLabelRenderer>
        <div
          className="link-words"
          aria-hidden="true"
          style={{ transform: `translate(-50%, -100%) translate(${x}px, ${y - 3}px)` }}
        >
          {words.map((line) => (
            <span key={line}>{line}</span>
          ))}
        </div>
      </EdgeLabelRenderer>
    </>
  );
};
