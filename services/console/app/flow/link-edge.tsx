import { BaseEdge, type Edge, EdgeLabelRenderer, type EdgeProps, getBezierPath } from '@xyflow/react';
import { formatShare, formatUsd } from '../shared/format.ts';
import { LINK_WORDS } from './measures.ts';
import type { Link } from './picture.ts';

/** Payments of one wallet to another. A solid line is a fact, a dashed one an inference. */
export const LinkEdge = (props: EdgeProps<Edge<{ link: Link }, 'link'>>) => {
  const { data, sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition } = props;
  const [path, x, y] = getBezierPath({ sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition });
  if (data === undefined) return null;
  const { link } = data;
  return (
    <>
      <BaseEdge
        path={path}
        className={`link ${link.kind} ${link.isFact ? 'fact' : 'inference'}`}
        style={{ strokeOpacity: 0.35 + 0.65 * link.probability }}
      />
      <EdgeLabelRenderer>
        <div
          className="link-words"
          aria-hidden="true"
          style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` }}
        >
          {LINK_WORDS[link.kind]}
          {link.kind === 'payment' ? formatUsd(link.usd) : link.symbol}
          {link.transactionsTotal > 1 ? ` in ${link.transactionsTotal}` : ''}
          {link.isFact ? '' : ` · ${formatShare(link.probability)}`}
        </div>
      </EdgeLabelRenderer>
    </>
  );
};
