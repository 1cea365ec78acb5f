import { openConfluentRegistry } from '../../platform/avro/confluent-registry.ts';
import { openLocalRegistry } from '../../platform/avro/local-registry.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { openJobCodec } from '../../retrace/job-codec.ts';
import { createJobLedger } from '../../roles/retrace/job-ledger.ts';
import { type LedgerPlace, openLedgerEngine } from '../ledger/open-ledger-engine.ts';
import { openLedgerOn } from '../ledger/temporary-ledger.ts';

/** Keys are those of nobody here, and none is revoked. */
const KEYS = { key: (id: string) => ({ id, revokedUnixMs: null }) as never };

/** A log with a ledger, and what jobs need of both, as one more process would open them. */
export const openJobEngine = async (place: LedgerPlace, clock: Clock = systemClock) => {
  const { folder, kafka } = place;
  const engine = await openLedgerEngine(place);
  const opened = await openLedgerOn(engine, { clock });
  const registry = kafka
    ? openConfluentRegistry(kafka.registryUrl)
    : openLocalRegistry(`${folder}/schemas.json`);
  const codec = await openJobCodec(registry);
  const ledger = createJobLedger({ ...engine, ledger: opened.ledger, directory: KEYS });
  return { ...opened, engine, codec, jobLedger: ledger };
};
