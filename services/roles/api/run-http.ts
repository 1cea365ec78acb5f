import { isLoopbackAddress } from '../../api/caller-address.ts';
import { type Listening, type ServeOptions, serve } from '../../api/serve.ts';
import { ConfigError } from '../../platform/config/config.ts';
import { messageOf } from '../../platform/message-of.ts';
import { CLOSE, CLOSE_MS, type ServiceProcess } from '../service-process.ts';
import { createHealthApi, createStartApi, type ServiceApi, type ServiceParts } from './create-health-api.ts';
import type { Opened } from './start-probes.ts';

/** Errors that another port solves; all others concern the host. */
const OF_PORT = ['EADDRINUSE', 'EACCES'];

export type ServiceHttp = {
  /** For example http://127.0.0.1:8402 */
  readonly url: string;
  /** Replaces the health answers during the start. */
  has(opened: Opened): void;
  /** All roles run: from now on their routes answer. */
  serves(parts: ServiceParts): Promise<void>;
};

/**
 * Every process answers about its health from its first moment, because an engine may be away for hours and
 * operators must see which one. Rejects with `ConfigError` if it cannot listen.
 */
export const runHttp = async (service: ServiceProcess): Promise<ServiceHttp> => {
  const { config, logger, closing } = service;
  const { host, port, publicUrl, operations, proxies } = config;
  const first = createStartApi(service, { log: null, warehouse: null });
  const hostNames = publicUrl === null ? [] : [publicUrl.hostname];
  const everybody = await listen(first.api, { host, port, hostNames, proxies }, 'SPOOR');
  closing('api', CLOSE.api, () => everybody.close({ graceMs: CLOSE_MS.grace }));
  // Scrapers in containers use any host name.
  const operatorsNames = isLoopbackAddress(operations.host) ? [] : null;
  const operators = await listen(
    first.operations,
    { ...operations, hostNames: operatorsNames },
    'SPOOR_OPERATIONS',
  );
  closing('operations', CLOSE.log, () => operators.close({ graceMs: 0 }));
  logger.info({ url: everybody.url, operationsUrl: operators.url }, 'listening');
  const answer = ({ api, operations }: ServiceApi): void => {
    everybody.answerWith(api);
    operators.answerWith(operations);
  };
  return {
    url: everybody.url,
    has: (opened) => answer(createStartApi(service, opened)),
    serves: async (parts) => {
      const { warehouse, billing } = parts;
      if (!warehouse || !billing || !service.runs('api')) return answer(createHealthApi(service, parts));
      const { openServiceApi } = await import('./open-service-api.ts');
      answer(await openServiceApi(service, parts, { warehouse, billing }));
    },
  };
};

const listen = (
  api: ServiceApi['api'],
  options: ServeOptions,
  variables: 'SPOOR' | 'SPOOR_OPERATIONS',
): Promise<Listening> =>
  serve(api, options).catch((error: NodeJS.ErrnoException) => {
    const variable = `${variables}_${OF_PORT.includes(error.code ?? '') ? 'PORT' : 'HOST'}`;
    throw new ConfigError([{ variable, problem: messageOf(error) }]);
  });
