import { promisify } from 'node:util';
import { deflate, inflate } from 'node:zlib';
import { type EventLog, LogError } from '../platform/event-log/event-log.ts';
import { type JobCodec, type Page, RESULTS } from './job-codec.ts';
import type { Piece } from './job-events.ts';

const pack = promisify(deflate);
const unpack = promisify(inflate);

/** JSON text in one record, before compression. Parsing it blocks the process, so it is limited. */
const TEXT_MAX = 500_000;
/** Limit of an unpacked record. */
const UNPACKED_MAX = 64 << 20;

const NO_PAGE: Page = { job_id: '', packed: Buffer.alloc(0) };

type Placed = { readonly place: number };
type PageStore = { readonly log: Pick<EventLog, 'append' | 'read'>; readonly codec: JobCodec };

/** Lists that are too long for one record, in the log. They count once an event names their pieces. */
export const createPages = ({ log, codec }: PageStore) => {
  const read = async <Item extends Placed>(
    jobId: string,
    { partition, offset }: Piece,
  ): Promise<readonly Item[]> => {
    const [record] = await log.read({ topic: RESULTS, partition, offset, until: offset + 1, maxBytes: 1 });
    const { job_id: owner, packed } = record === undefined ? NO_PAGE : codec.pages.decode(record.value);
    // After the topic was recreated, that position may hold another account's page.
    if (owner !== jobId) throw new LogError('not_kept', `page ${partition}:${offset} is kept no longer`);
    return JSON.parse((await unpack(packed, { maxOutputLength: UNPACKED_MAX })).toString()) as Item[];
  };
  return {
    /** In index order. Durable when it resolves. */
    write: async (jobId: string, items: readonly Placed[]): Promise<readonly Piece[]> => {
      const pieces: Piece[] = [];
      for (const page of cutPages(items)) {
        const packed = await pack(`[${page.texts.join(',')}]`);
        const value = codec.pages.encode({ job_id: jobId, packed });
        const [position] = await log.append([{ topic: RESULTS, key: jobId, value }]);
        if (position === undefined) throw new LogError('not_written', `page of job ${jobId}`);
        const { partition, offset } = position;
        pieces.push({ partition, offset, first: page.first, count: page.texts.length });
      }
      return pieces;
    },
    read,
    /** The results at these indexes, which are adjacent in the pieces. */
    readSpan: async <Item extends Placed>(
      jobId: string,
      pieces: readonly Piece[],
      span: { readonly first: number; readonly count: number },
    ): Promise<readonly Item[]> => {
      const end = span.first + span.count;
      const items: Item[] = [];
      for (const piece of pieces) {
        if (piece.first >= end || piece.first + piece.count <= span.first) continue;
        const page = await read<Item>(jobId, piece);
        items.push(...page.filter(({ place }) => place >= span.first && place < end));
      }
      return items;
    },
  };
};

function* cutPages(items: readonly Placed[]) {
  let page = { first: 0, texts: [] as string[], length: 0 };
  for (const item of items) {
    const text = JSON.stringify(item);
    if (page.texts.length > 0 && page.length + text.length > TEXT_MAX) {
      yield page;
      page = { first: 0, texts: [], length: 0 };
    }
    if (page.texts.length === 0) page.first = item.place;
    page.texts.push(text);
    page.length += text.length;
  }
  if (page.texts.length > 0) yield page;
}
