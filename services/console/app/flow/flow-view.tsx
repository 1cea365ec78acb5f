import { useMemo, useState } from 'react';
import { ExportButtons } from '../export/export-buttons.tsx';
import { PrintedPicture } from '../export/printed-picture.tsx';
import { EvidenceTable } from '../table/evidence-table.tsx';
import { listEvidence } from '../table/list-evidence.ts';
import { FilterBar } from './filter-bar.tsx';
import { FlowGraph } from './flow-graph.tsx';
import { OutcomeTable } from './outcome-table.tsx';
import { showFlow } from './show-flow.ts';
import type { History, ViewEvent } from './view-events.ts';

type Props = {
  readonly name: string;
  readonly history: History;
  readonly onAct: (event: ViewEvent) => void;
  readonly onUndo: () => void;
  readonly onRedo: () => void;
  /** null: the reader may only look. */
  readonly onExpand: ((body: object, from: string) => void) | null;
};

/** Outcome table, picture and evidence of one case. Choosing a card marks its payments in the table, and the other way round. */
export const FlowView = ({ name, history, onAct, onUndo, onRedo, onExpand }: Props) => {
  const shown = useMemo(() => showFlow(history.done), [history.done]);
  const evidence = useMemo(() => listEvidence(shown.filtered.shown), [shown]);
  const [marked, setMarked] = useState<string | null>(null);
  const { view, picture, filtered } = shown;
  return (
    <>
      {view.answers.map(({ flow, from }, at) => (
        <OutcomeTable
          key={`${from} ${JSON.stringify(flow.starts)} ${flow.asset.address}`}
          flow={flow}
          isFirst={at === 0}
        />
      ))}
      <section aria-labelledby="picture">
        <div className="tools">
          <h2 id="picture">The way of the money</h2>
          <button type="button" onClick={onUndo} disabled={history.done.length <= 1}>
            Undo
          </button>
          <button type="button" onClick={onRedo} disabled={history.undone.length === 0}>
            Redo
          </button>
          <ExportButtons name={name} shown={shown} history={history} evidence={evidence} />
        </div>
        <FilterBar view={view} picture={picture} filtered={filtered} onAct={onAct} />
        <PrintedPicture shown={shown} />
        <FlowGraph shown={shown} marked={marked} onMark={setMarked} onAct={onAct} onExpand={onExpand} />
      </section>
      <EvidenceTable rows={evidence} marked={marked} onMark={setMarked} />
    </>
  );
};
