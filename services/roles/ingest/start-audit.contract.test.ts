import { expect, test } from 'vitest';
import { blockRecords } from '../../ingest/block-records.ts';
import { CHAINS } from '../../investigate/model/chain.ts';
import { createLogger } from '../../platform/logger.ts';
import {
  type ScriptedAnswer,
  type ScriptedCall,
  startScriptedNode,
} from '../../testing/nodes/scripted-node.ts';
import { PATIENCE } from '../../testing/patience.ts';
import { range, SinkStage } from '../../testing/sink-stage.ts';
import { startAudit } from './start-audit.ts';

const stage = new SinkStage();
const hash = (number: number) => `0x${number.toString(16).padStart(64, '0')}`;

/** Knows how far its chain is, and has forgotten every block. */
const forgetful = ({ params }: ScriptedCall): ScriptedAnswer => ({
  result: params[0] === 'finalized' ? { number: '0x77', hash: hash(119) } : null,
});

test('a gap of one chain that its node cannot fill is told, and the chains behind it are audited', async () => {
  const sink = stage.sink();
  for (const chain of ['ethereum', 'base']) {
    const partition = CHAINS.findIndex(({ name }) => name === chain);
    const held = range(100, 20).filter(({ number }) => chain === 'base' || number !== 107);
    const at = { topic: 'transfers.head', partition, key: chain };
    await stage.store.log.append(
      held.flatMap((block) => blockRecords({ ...block, chain }, stage.store.encodeBlock, at)),
    );
  }
  await stage.untilStored(sink);
  const { url } = await startScriptedNode({ answer: forgetful });
  const nodes = { rpcUrls: [url], websocketUrl: null, commitment: 'latest' as const };
  const { store, warehouse } = stage;
  const chains = [
    { name: 'ethereum', ...nodes },
    { name: 'base', ...nodes },
  ];
  const audit = startAudit({ store, warehouse, logger: createLogger({ level: 'silent' }), chains });
  await expect.poll(() => Object.fromEntries(audit.gaps), PATIENCE).toEqual({ ethereum: 1, base: 0 });
  await audit.stop();
  await sink.stop();
});
