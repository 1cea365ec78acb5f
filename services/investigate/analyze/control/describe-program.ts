import type { Address } from '../../model/address.ts';
import type { AuthorityRole } from '../../model/control-event.ts';
import type { QueryContext } from '../query-context.ts';
import type { Maker, ProgramProfile, Upgrade } from './control-profile.ts';
import { findAuthority, findChanges, toDone } from './find-authority.ts';
import { type Control, findBirth } from './read-control.ts';

const UPGRADE_ROLES: readonly AuthorityRole[] = ['upgrade', 'proxy_admin'];
const OWNER_ROLES: readonly AuthorityRole[] = ['owner'];
const COUNTS_MAX = 20_000;
const CALLERS_MAX = 20;

/** Whether the address is a program or a contract, according to its control events. */
export const isProgram = ({ events }: Control): boolean =>
  events.some(
    ({ kind, detail }) =>
      ['contract_created', 'program_deployed', 'program_upgraded'].includes(kind) ||
      (kind === 'authority_changed' && [...UPGRADE_ROLES, 'owner'].includes(detail as AuthorityRole)),
  );

/**
 * Describes a program or contract: who deployed it, who may change it, who calls it. Two queries: callers and
 * labels.
 */
export const describeProgram = async (
  address: Address,
  control: Control,
  context: QueryContext,
  firstRow: number | null,
): Promise<ProgramProfile> => {
  const { events } = control;
  const birth = findBirth(control);
  const found = await context.attempt('callers', () =>
    context.control.topCallers({ ...context.onChain, rowsMax: COUNTS_MAX, limit: CALLERS_MAX }, [address]),
  );
  const callers = found?.[0] ?? null;
  const upgrades = events
    .filter(({ kind }) => kind === 'program_upgraded')
    .map((event): Upgrade => ({ ...toDone(event), implementation: event.party }));
  const changes = findChanges(events, [...UPGRADE_ROLES, ...OWNER_ROLES]);
  return {
    deployer: await describeMaker(birth, context),
    factory: birth?.kind === 'contract_created' ? birth.party : null,
    upgradeAuthority: findAuthority(
      changes.filter(({ role }) => UPGRADE_ROLES.includes(role)),
      control,
    ),
    owner: findAuthority(
      changes.filter(({ role }) => OWNER_ROLES.includes(role)),
      control,
    ),
    changes,
    upgrades,
    firstSeen: birth?.blockTime ?? firstRow,
    topCallers: callers !== null && callers.callers.length > 0 ? callers : null,
  };
};

/** The deployer, from the creation event. */
export const describeMaker = async (
  birth: ReturnType<typeof findBirth>,
  { reader, onChain }: QueryContext,
): Promise<Maker | null> => {
  const address = birth?.holder ?? null;
  if (birth === null || address === null) return null;
  const [label = null] = await reader.labels(onChain, [address]);
  return { ...toDone(birth), address, label };
};
