import { readFileSync } from 'node:fs';
import type { AnalystView } from '../warehouse/analyst/analyst-view.ts';

export const PAGE = new URL('../../docs/analysts.md', import.meta.url);
export const readPage = (): string => readFileSync(PAGE, 'utf8');

const QUESTION = /^### (\d+)\. (.+)\n\n```sql\n([\s\S]*?)```\n\n```text\n([\s\S]*?)```$/gm;

export type Question = {
  readonly number: number;
  readonly title: string;
  readonly sql: string;
  readonly answer: string;
};

/** The questions of a page of docs/analysts.md, with the answers that stand in it. */
export const questionsOf = (page: string): Question[] =>
  [...page.matchAll(QUESTION)].map(([, number, title = '', sql = '', answer = '']) => ({
    ...{ number: Number(number), title, sql, answer },
  }));

/** The page with other answers, in the order of its questions, and the list of these views. */
export const fillPage = (page: string, answers: readonly string[], views: readonly AnalystView[]): string => {
  let at = 0;
  const answered = page.replace(QUESTION, (_, number: string, title: string, sql: string) => {
    const answer = answers[at++] ?? '';
    return `### ${number}. ${title}\n\n\`\`\`sql\n${sql}\`\`\`\n\n\`\`\`text\n${answer}\`\`\``;
  });
  const table = /<!-- views -->[\s\S]*<!-- \/views -->/;
  return answered.replace(table, () => `<!-- views -->\n\n${describeViews(views)}\n\n<!-- /views -->`);
};

/** Parameters and keys stay in the view's own comment. */
const describeViews = (views: readonly AnalystView[]): string =>
  views
    .map(({ name, comment }) => `- \`${name}\`: ${firstClause(comment.replace(/^\w+\(.*?\): /, ''))}`)
    .join('\n');

const firstClause = (text: string): string => `${text.split(/[.:;](?: |$)| \(/)[0]}.`;
