import { showable, showableLines } from '../../platform/showable.ts';

/** Text that is markup already. */
export type Html = { readonly html: string };

type Part = string | number | Html | readonly Html[];

const ENTITIES: Readonly<Record<string, string>> = {
  ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' },
};

const toEntities = (text: string): string => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);

/** Anything but `Html` is foreign text: it is cut, stays text, and cannot turn the text around it. */
const toMarkup = (part: Part): string => {
  if (typeof part === 'number') return String(part);
  if (typeof part === 'string') return toEntities(showable(part));
  return 'html' in part ? part.html : part.map(({ html: of }) => of).join('');
};

export const html = (texts: TemplateStringsArray, ...parts: readonly Part[]): Html => ({
  html: texts.reduce((markup, text, at) => markup + toMarkup(parts[at - 1] ?? '') + text),
});

/** A table with a head; nothing where there is no row. */
export const table = (heads: readonly string[], rows: readonly (readonly Part[])[]): Html =>
  rows.length === 0
    ? html`<p>None.</p>`
    : html`<table><thead><tr>${heads.map((head) => html`<th>${head}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody></table>
`;

/** An address, a hash or a digest: whole, on as many lines as it needs. */
export const code = (text: string): Html => html`<code>${text}</code>`;

/** A text of any length, of our own answers. */
export const prose = (text: string): Html => ({ html: toEntities(showableLines(text)) });
