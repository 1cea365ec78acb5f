import { onTestFinished } from 'vitest';
import type { ApiDependencies } from '../../api/create-api.ts';
import { openSigningKeys } from '../../evidence/signing-keys.ts';
import { createMemoryEvidence } from '../memory/memory-evidence.ts';
import { createMemoryTraceReader } from '../memory/memory-trace-reader.ts';
import { createMemoryReader } from '../memory-reader.ts';
import { startApi } from '../start-api.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { openCases } from './open-cases.ts';
import { THEFT_LABELS, theftStory } from './theft-story.ts';

export const createTheftReader = () => createMemoryReader(theftStory(), { labels: THEFT_LABELS });

/** A service without accounts over the theft, which keeps cases. */
export const startTheftApi = async (
  setting: Pick<ApiDependencies, 'caseDesk'> & Partial<ApiDependencies> = {},
) => {
  const desk = setting.caseDesk ?? (await openCases());
  const { signing, published } = await openSigningKeys(temporaryFolder(), 1_700_000_000);
  const api = await startApi({
    ...setting,
    evidenceKeys: async () => published,
    caseExport: {
      readRows: createMemoryEvidence(theftStory()),
      rowsMax: 1_000,
      readLabels: async (chain, address) => {
        const label = THEFT_LABELS.get(address.toLowerCase());
        const said = { source: 'story', confidence: 1, asserted_at: 1_700_000_000 };
        return label === undefined ? [] : [{ chain, address, name: label.name, kind: label.kind, ...said }];
      },
      signing: async () => signing,
      version: '1.2.3',
    },
    reader: setting.reader ?? createTheftReader(),
    traceReader: createMemoryTraceReader(theftStory(), { labels: THEFT_LABELS }),
    caseDesk: desk,
  });
  onTestFinished(() => api.close({ graceMs: 0 }));
  return api;
};
