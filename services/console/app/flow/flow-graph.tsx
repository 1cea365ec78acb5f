import { type Edge, MarkerType, type Node, ReactFlow, ReactFlowProvider, useReactFlow } from '@xyflow/react';
import { useMemo, useRef, useState } from 'react';
import { type CardData, CardNode } from './card-node.tsx';
import { CardPanel } from './card-panel.tsx';
import { drawLines, type Line } from './lines.ts';
import { LinkEdge } from './link-edge.tsx';
import { CARD, pixelsOf } from './measures.ts';
import type { Shown } from './show-flow.ts';
import { stepFrom } from './step-from.ts';
import type { ViewEvent } from './view-events.ts';

type Props = {
  readonly shown: Shown;
  readonly marked: string | null;
  readonly onMark: (card: string | null) => void;
  readonly onAct: (event: ViewEvent) => void;
  /** null: the reader may only look. */
  readonly onExpand: ((body: object, from: string) => void) | null;
};

const NODE_TYPES = { card: CardNode };
const EDGE_TYPES = { link: LinkEdge };

/** The picture, from left to right: a column is a hop. Cards stay where they are; what is added finds free places. */
export const FlowGraph = (props: Props) => (
  <ReactFlowProvider>
    <Graph {...props} />
  </ReactFlowProvider>
);

const Graph = ({ shown, marked, onMark, onAct, onExpand }: Props) => {
  const { chosen, places, filtered, view } = shown;
  const [current, setCurrent] = useState<string | null>(null);
  const frame = useRef<HTMLFieldSetElement>(null);
  const flow = useReactFlow();
  const focusable = chosen.cards.some(({ key }) => key === current)
    ? current
    : (chosen.cards[0]?.key ?? null);
  const nodes = useMemo(
    () =>
      chosen.cards.map(
        (card): Node<CardData, 'card'> => ({
          id: card.key,
          type: 'card',
          position: pixelsOf(places.get(card.key) ?? { column: 0, row: 0 }),
          width: CARD.width,
          height: CARD.height,
          data: {
            card,
            fold: chosen.folds.find(({ payer }) => payer === card.key) ?? null,
            note: view.notes.get(card.key) ?? null,
            colour: view.colours.get(card.key) ?? null,
            isMarked: marked === card.key,
            isFocusable: focusable === card.key,
            onChoose: () => {
              setCurrent(card.key);
              onMark(card.key);
            },
            onOpen: () => onAct({ type: 'opened', payer: card.key }),
          },
        }),
      ),
    [chosen, places, view, marked, focusable, onAct, onMark],
  );
  const edges = useMemo(() => {
    const drawn = new Set(chosen.cards.map(({ key }) => key));
    const links = filtered.shown.links.filter(({ from, to }) => drawn.has(from) && drawn.has(to));
    return drawLines(links, view.as).map(edgeOf);
  }, [chosen, filtered, view.as]);

  const onKey = (event: React.KeyboardEvent): void => {
    const target = stepFrom(focusable, event.key, shown);
    if (target === null) return;
    event.preventDefault();
    setCurrent(target);
    const element = [...(frame.current?.querySelectorAll<HTMLElement>('[data-card]') ?? [])].find(
      ({ dataset }) => dataset.card === target,
    );
    element?.focus({ preventScroll: true });
    // The view follows the keyboard, and nothing else moves it.
    const zoom = flow.getZoom();
    void flow.fitView({ nodes: [{ id: target }], minZoom: zoom, maxZoom: zoom });
  };
  const selected = chosen.cards.find(({ key }) => key === marked) ?? null;
  return (
    <>
      <fieldset
        className="canvas"
        style={{ height: `min(75vh, ${heightOf(nodes)}px)` }}
        ref={frame}
        onKeyDown={onKey}
        aria-label="Wallets by hop. Arrow keys go from wallet to wallet."
      >
        <ReactFlow
          nodes={nodes}
          edges={edges}
          nodeTypes={NODE_TYPES}
          edgeTypes={EDGE_TYPES}
          nodesDraggable={false}
          nodesConnectable={false}
          nodesFocusable={false}
          edgesFocusable={false}
          elementsSelectable={false}
          disableKeyboardA11y
          deleteKeyCode={null}
          zoomOnScroll={false}
          panOnScroll={false}
          preventScrolling={false}
          minZoom={0.1}
          onInit={() => void flow.setViewport(firstView(frame.current?.clientWidth ?? 0, nodes))}
          proOptions={{ hideAttribution: true }}
        />
        <div className="zoom">
          <button type="button" aria-label="Zoom in" onClick={() => void flow.zoomIn()}>
            +
          </button>
          <button type="button" aria-label="Zoom out" onClick={() => void flow.zoomOut()}>
            −
          </button>
          <button type="button" onClick={() => void flow.fitView()}>
            Whole picture
          </button>
        </div>
      </fieldset>
      {selected !== null && (
        <CardPanel
          card={selected}
          links={filtered.shown.links}
          view={view}
          onAct={onAct}
          onExpand={onExpand}
          onClose={() => onMark(null)}
        />
      )}
    </>
  );
};

const edgeOf = (line: Line): Edge<{ line: Line }, 'link'> => ({
  id: line.key,
  type: 'link',
  source: line.link.from,
  target: line.link.to,
  markerEnd: { type: MarkerType.ArrowClosed, color: 'var(--quiet)', width: 18, height: 18 },
  data: { line },
});

/** Of the whole picture, as it is first shown. */
const heightOf = (nodes: readonly Node[]): number =>
  Math.max(...nodes.map(({ position }) => position.y)) + CARD.height + 4 * MARGIN;

/** The start at the top left, and as many hops beside it as can still be read. */
const firstView = (width: number, nodes: readonly Node[]) => {
  const right = Math.max(...nodes.map(({ position }) => position.x)) + CARD.width + 2 * MARGIN;
  return { x: MARGIN, y: MARGIN, zoom: Math.min(1, Math.max(0.75, width / right)) };
};

const MARGIN = 20;
