import type { Shown } from '../flow/show-flow.ts';
import type { History } from '../flow/view-events.ts';
import { download } from '../shared/download.ts';
import type { EvidenceRow } from '../table/list-evidence.ts';
import { toCsv } from '../table/to-csv.ts';
import { hasFlowCase, writeFlowCase } from './write-flow-case.ts';
import { type Drawing, writeSvg } from './write-svg.ts';

type Props = {
  readonly name: string;
  readonly shown: Shown;
  readonly history: History;
  readonly evidence: readonly EvidenceRow[];
};

/** Files of what is on the page. */
export const ExportButtons = ({ name, shown, history, evidence }: Props) => {
  const svg = (): Drawing => writeSvg(shown);
  const file = fileNameOf(name);
  return (
    <fieldset className="tools" aria-label="Export">
      <button type="button" onClick={() => download(`${file}.csv`, 'text/csv', toCsv(evidence))}>
        CSV
      </button>
      <button type="button" onClick={() => download(`${file}.svg`, 'image/svg+xml', svg().text)}>
        SVG
      </button>
      <button type="button" onClick={() => void savePng(`${file}.png`, svg())}>
        PNG
      </button>
      <button
        type="button"
        onClick={() => download(`${file}.json`, 'application/json', writeCase(name, history))}
      >
        JSON
      </button>
      {hasFlowCase(shown) && (
        <button
          type="button"
          onClick={() =>
            download(
              `${file}-flow-case.json`,
              'application/json',
              JSON.stringify(writeFlowCase(shown, name, Date.now()), null, 1),
            )
          }
        >
          Flow Case
        </button>
      )}
      <button type="button" onClick={() => print()}>
        Print
      </button>
    </fieldset>
  );
};

/** All that was done: whoever plays the same steps sees the same. */
const writeCase = (name: string, { done, undone }: History): string =>
  JSON.stringify({ case: name, done, undone }, null, 1);

/** A name that every file system takes. */
const fileNameOf = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 60)
    .toLowerCase() || 'spoor';

const savePng = async (file: string, { text, width, height }: Drawing): Promise<void> => {
  const url = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }));
  try {
    const image = new Image(width, height);
    image.src = url;
    await image.decode();
    const canvas = document.createElement('canvas');
    Object.assign(canvas, { width, height });
    canvas.getContext('2d')?.drawImage(image, 0, 0);
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
    if (blob !== null) download(file, 'image/png', blob);
  } finally {
    URL.revokeObjectURL(url);
  }
};
