import { SourceError } from '../../nodes/source-error.ts';

/** The lines of an answer as they come. Throws a transient `SourceError` if the connection ends amid it. */
export async function* linesOf({ body }: Response, bytesMax: number): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of body ?? []) {
      const lines = `${rest}${decoder.decode(chunk, { stream: true })}`.split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > bytesMax)
        throw new SourceError('answer_too_large', `a line passes ${bytesMax} bytes`, { transient: false });
      for (const line of lines) if (line.trim() !== '') yield line;
    }
  } catch (error) {
    if (error instanceof SourceError) throw error;
    throw new SourceError('unreachable', 'the answer was cut', { transient: true });
  }
  if (rest.trim() !== '') yield rest;
}
