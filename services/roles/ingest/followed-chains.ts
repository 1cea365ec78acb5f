import { findChain } from '../../investigate/model/chain.ts';
import type { ServiceProcess } from '../service-process.ts';

const INGEST_ROLES = ['ingest-solana', 'ingest-evm'] as const;

type Roles = Pick<ServiceProcess, 'runs'>;

export const isIngesting = ({ runs }: Roles): boolean => INGEST_ROLES.some(runs);

/** Those of these chains that this process follows: by their families. */
export const followedBy = <C extends { readonly name: string }>({ runs }: Roles, chains: readonly C[]): C[] =>
  chains.filter(({ name }) => runs(findChain(name)?.family === 'evm' ? 'ingest-evm' : 'ingest-solana'));

/** Named after what it follows. The chains of a generated world are not configured: its families tell. */
export const writerOf = (service: Roles, chains: readonly { readonly name: string }[]): string => {
  const names = followedBy(service, chains).map(({ name }) => name);
  return [...INGEST_ROLES.filter(service.runs), ...names.toSorted()].join('-');
};
