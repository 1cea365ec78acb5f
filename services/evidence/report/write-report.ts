import { byTransaction, chronology, facts } from './chronology.ts';
import type { ReportContent } from './content.ts';
import { freezing } from './freezing.ts';
import { html } from './html.ts';
import { inferences } from './inferences.ts';
import { labels, method } from './method.ts';
import { picture } from './picture.ts';
import { readStories } from './story.ts';
import { summary } from './summary.ts';

const STYLE = `
@page { size: A4; margin: 16mm 14mm; @bottom-right { content: counter(page) " / " counter(pages); } }
body { font: 10pt/1.35 sans-serif; color: #111; margin: 2em auto; max-width: 60em; }
section { break-before: page; } section:first-of-type { break-before: auto; }
h1 { font-size: 18pt; } h2 { font-size: 13pt; } h2, h3 { break-after: avoid; }
table { border-collapse: collapse; width: 100%; } tr { break-inside: avoid; }
th, td { border: 0.5pt solid #999; padding: 2pt 4pt; text-align: left; vertical-align: top; }
code, pre { font: 8pt monospace; overflow-wrap: anywhere; white-space: pre-wrap; }
dd { margin: 0 0 4pt; }
svg { width: 100%; } .wallet { fill: #eef; stroke: #336; } .line { stroke: #336; fill: none; } svg text { font: 10px sans-serif; }
.step { fill: #a00; } svg .name { font-size: 9px; fill: #555; }
@media print { body { margin: 0; max-width: none; } }
`;

/** The report of a case as one page that needs nothing else: it runs no script, loads nothing and prints to PDF. */
export const writeReport = (content: ReportContent): string => {
  const stories = readStories(JSON.parse(content.answer));
  const rows = byTransaction(content.rows);
  const body = [
    summary(content, stories),
    ...stories.flatMap(freezing),
    ...stories.map((story) => chronology(story, rows)),
    ...stories.map(picture),
    ...stories.map((story) => facts(story, rows)),
    ...stories.map(inferences),
    labels(content),
    method(content, stories),
  ];
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Where the money went</title>
<style>${{ html: STYLE }}</style>
</head>
<body>
${body}
</body>
</html>
`.html;
};
