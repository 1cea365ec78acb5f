import { findChain } from '../../investigate/model/chain.ts';
import type { ServiceProcess } from '../service-process.ts';

const INGEST_ROLES = ['ingest-solana', 'ingest-evm'] as const;

type Roles = Pick<ServiceProcess, 'runs'>;

export const isIngesting = ({ runs }: Roles): boolean => INGEST_ROLES.some(runs);

/** The chains of this list that this process follows, by family. */
export const followedBy = <C extends { readonly name: string }>({ runs }: Roles, chains: readonly C[]): C[] =>
  chains.filter(({ name }) => runs(findChain(name)?.family === 'evm' ? 'ingest-evm' : 'ingest-solana'));
