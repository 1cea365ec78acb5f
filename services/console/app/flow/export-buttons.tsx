import { download } from '../shared/download.ts';
import type { EvidenceRow } from '../table/list-evidence.ts';
import { toCsv } from '../table/to-csv.ts';
import type { Shown } from './show-flow.ts';
import type { History } from './view-events.ts';
import { type Drawing, writeSvg } from './write-svg.ts';

type Props = { readonly shown: Shown; readonly history: History; readonly evidence: readonly EvidenceRow[] };

/** Files of what is on the page. */
export const ExportButtons = ({ shown, history, evidence }: Props) => {
  const svg = (): Drawing => writeSvg(shown);
  return (
    <fieldset className="tools" aria-label="Export">
      <button type="button" onClick={() => download('spoor.csv', 'text/csv', toCsv(evidence))}>
        CSV
      </button>
      <button type="button" onClick={() => download('spoor.svg', 'image/svg+xml', svg().text)}>
        SVG
      </button>
      <button type="button" onClick={() => void savePng(svg())}>
        PNG
      </button>
      <button
        type="button"
        onClick={() => download('spoor.json', 'application/json', JSON.stringify(history.done, null, 1))}
      >
        JSON
      </button>
      <button type="button" onClick={() => print()}>
        Print
      </button>
    </fieldset>
  );
};

const savePng = async ({ text, width, height }: Drawing): Promise<void> => {
  const url = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }));
  try {
    const image = new Image(width, height);
    image.src = url;
    await image.decode();
    const canvas = document.createElement('canvas');
    Object.assign(canvas, { width, height });
    canvas.getContext('2d')?.drawImage(image, 0, 0);
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
    if (blob !== null) download('spoor.png', 'image/png', blob);
  } finally {
    URL.revokeObjectURL(url);
  }
};
