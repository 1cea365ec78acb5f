import type { Meter } from '../../platform/metrics.ts';

export const ingestMetrics = (meter: Meter) => {
  const blocks = meter.counter('spoor_blocks_ingested_total', 'Blocks appended to the event log.', ['chain']);
  const movements = meter.counter('spoor_movements_ingested_total', 'Movements in these blocks.', ['chain']);
  const head = meter.gauge('spoor_chain_head_block', 'Newest block or slot the chain has.', ['chain']);
  const indexed = meter.gauge('spoor_chain_indexed_block', 'Newest block or slot in the event log.', [
    'chain',
  ]);
  return {
    /** A block became events. */
    blockIngested: (block: { chain: string; movements: number }): void => {
      blocks.inc({ chain: block.chain });
      movements.inc({ chain: block.chain }, block.movements);
    },
    /** The newest block that the chain has, and the newest whose events are in the log. */
    chainAt: (heights: { chain: string; head: number; indexed: number }): void => {
      head.set({ chain: heights.chain }, heights.head);
      indexed.set({ chain: heights.chain }, heights.indexed);
    },
  };
};
