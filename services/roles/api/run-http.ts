import { serve } from '../../api/serve.ts';
import { ConfigError } from '../../platform/config/config.ts';
import { messageOf } from '../../platform/message-of.ts';
import { CLOSE, CLOSE_MS, type ServiceProcess } from '../service-process.ts';
import { createStartApi, openServiceApi, type ServiceParts } from './open-service-api.ts';
import type { Opened } from './start-probes.ts';

/** What another port helps against; anything else is said of the host. */
const OF_PORT = ['EADDRINUSE', 'EACCES'];

export type ServiceHttp = {
  /** For example http://127.0.0.1:8402 */
  readonly url: string;
  /** So far this is open: how it is is asked, and no longer told. */
  has(opened: Opened): void;
  /** All runs: from now on it answers what its roles answer. */
  serves(parts: ServiceParts): Promise<void>;
};

/**
 * Every process says how it is from its first moment: an engine that is away at the start may stay away for hours, and who
 * looks after the process must see which one. Rejects with `ConfigError` where it cannot listen.
 */
export const runHttp = async (service: ServiceProcess): Promise<ServiceHttp> => {
  const { config, logger, closing } = service;
  const listening = await serve(createStartApi(service, { log: null, warehouse: null }), config).catch(
    (error: NodeJS.ErrnoException) => {
      const variable = OF_PORT.includes(error.code ?? '') ? 'SPOOR_PORT' : 'SPOOR_HOST';
      throw new ConfigError([{ variable, problem: messageOf(error) }]);
    },
  );
  const { url, answerWith } = listening;
  closing('api', CLOSE.api, () => listening.close({ graceMs: CLOSE_MS.grace }));
  logger.info({ url }, 'listening');
  return {
    url,
    has: (opened) => answerWith(createStartApi(service, opened)),
    serves: async (parts) => answerWith(await openServiceApi(service, parts)),
  };
};
