import { expect, onTestFinished } from 'vitest';
import { openCaseCodec } from '../../cases/case-codec.ts';
import { type CaseDesk, openCaseDesk } from '../../cases/case-desk.ts';
import { openLocalRegistry } from '../../platform/avro/local-registry.ts';
import { systemClock } from '../../platform/clock.ts';
import { openLedgerEngine } from '../ledger/open-ledger-engine.ts';
import { temporaryFolder } from '../temporary-folder.ts';

/** Cases on a real log in a folder of their own. */
export const openCases = async (folder = temporaryFolder()): Promise<CaseDesk> => {
  const { log } = await openLedgerEngine({ folder, kafka: null });
  const desk = await openCaseDesk({
    ...{ log, codec: await openCaseCodec(openLocalRegistry(`${folder}/schemas.json`)), clock: systemClock },
    onError: (error) => expect.unreachable(String(error)),
  });
  onTestFinished(async () => {
    await desk.stop();
    await log.close();
  });
  return desk;
};
