type Warehouse = { readonly analystUrl: string };
type Answered = { readonly code: string | null; readonly text: string };

/** What the engine tells the user `analyst`: an error's code, and the text of the answer. */
export const postAsAnalyst = async ({ analystUrl }: Warehouse, query: string): Promise<Answered> => {
  const url = new URL(analystUrl);
  const { username, password } = url;
  url.username = '';
  url.password = '';
  const headers = { 'X-ClickHouse-User': username, 'X-ClickHouse-Key': password };
  const answer = await fetch(url, { method: 'POST', headers, body: query });
  return { code: answer.headers.get('x-clickhouse-exception-code'), text: await answer.text() };
};

/** The rows of an analyst's question, each an array of its columns. Throws what the engine says. */
export const askAnalyst = async (warehouse: Warehouse, query: string): Promise<unknown[][]> => {
  const { code, text } = await postAsAnalyst(warehouse, `${query} FORMAT JSONCompactEachRow`);
  if (code !== null) throw new Error(text);
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as unknown[]);
};
