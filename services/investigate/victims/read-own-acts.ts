import type { Address } from '../model/address.ts';
import type { AddressTimes } from '../model/control-reader.ts';
import { type TransactionPosition, transactionKey } from '../model/transfer-reader.ts';
import { codeAt, readDelegations } from './delegated-wallets.ts';
import { type Allowed, findMethod } from './find-method.ts';
import { type Grants, isCrowded, readGrants } from './read-grants.ts';
import { HANDS_MAX, HOLDERS_ASKED_MAX } from './rules.ts';
import { byFrequency, takeSome } from './take-some.ts';
import type { VictimsReads } from './victims-reader.ts';
import type { VictimsRequest } from './victims-report.ts';
import type { Taking } from './weigh-transaction.ts';

export type OwnActs = {
  readonly actOf: Allowed['actOf'];
  /** Delegations of keys to the code that paid for them. */
  readonly delegations: readonly Grants[];
};

const EVENTS_MAX = 1_000;
const PAYERS = {
  part: 'accounts with code',
  at: 'payers with code were looked at for what their owners signed or delegated: the others count as contracts.',
};
const CODES = {
  part: 'code',
  at: 'pieces of code to which payers had delegated were looked at: what the others paid counts as signed, and `revocable` may lack some.',
};

/**
 * Whose money it was that an EVM account with code paid, by what its owners signed (multisignature wallets, ERC-4337)
 * or its key delegated (EIP-7702). Without either it is a contract.
 */
export const readOwnActs = async (
  request: VictimsRequest,
  takings: readonly Taking[],
  reads: VictimsReads,
): Promise<OwnActs> => {
  const coded = takings.filter((taking) => findMethod(request.chain, taking) === 'contract');
  if (request.chain.family !== 'evm' || coded.length === 0) return { actOf: () => null, delegations: [] };
  const byPayer = Map.groupBy(coded, ({ payer }) => payer);
  const some = takeSome(byFrequency(coded.map(({ payer }) => payer)), HOLDERS_ASKED_MAX, PAYERS, reads);
  const [delegations, read] = await Promise.all([
    readDelegations(request, some, reads),
    reads.controls.eventsOf(
      { chain: request.chain.name, kinds: ['account_acted'], order: 'oldest_first', limit: EVENTS_MAX },
      some.map((address) => ({ address, ...timesOf(byPayer.get(address) ?? []) })),
    ),
  ]);
  const acts = new Set(read.flatMap(({ events }) => events.map(actKey)));
  const codeOf = (taking: Taking): Address | null => codeAt(delegations, taking.payer, taking);
  const hasActed = (taking: Taking): boolean => acts.has(actKey({ ...taking, subject: taking.payer }));
  const taken = coded.filter((taking) => !hasActed(taking));
  const codes = takeSome(
    byFrequency(taken.flatMap((taking) => codeOf(taking) ?? [])),
    HANDS_MAX,
    CODES,
    reads,
  );
  const given = await Promise.all(codes.map((code) => readGrants(request, code, reads)));
  const payers = new Set(taken.map(({ payer }) => payer));
  // Wallets' own code, to which thousands delegate, does what their keys sign.
  const open = given.filter((grants) => !isCrowded(grants, payers));
  const takers = new Set(open.map(({ hand }) => hand));
  return {
    actOf: (taking) => {
      if (hasActed(taking)) return 'transfer';
      const code = codeOf(taking);
      return code === null ? null : takers.has(code) ? 'code' : 'transfer';
    },
    delegations: open.map((grants) => (isTaker(grants, payers) ? grants : ofPayers(grants, payers))),
  };
};

const timesOf = (own: readonly Taking[]): Omit<AddressTimes, 'address'> => {
  const times = own.map(({ blockTime }) => blockTime);
  return { fromUnixSeconds: Math.min(...times), toUnixSeconds: Math.max(...times) };
};

const actKey = (act: TransactionPosition & { readonly subject: Address }): string =>
  `${act.subject} ${transactionKey(act)}`;

/** Half of those who delegated to it paid here: it is the thief's. Else only these payers are told of. */
const isTaker = ({ events }: Grants, payers: ReadonlySet<Address>): boolean => {
  const holders = new Set(events.flatMap(({ holder }) => holder ?? []));
  return 2 * [...holders].filter((holder) => payers.has(holder)).length >= holders.size;
};

const ofPayers = (grants: Grants, payers: ReadonlySet<Address>): Grants => ({
  ...grants,
  events: grants.events.filter(({ holder }) => holder !== null && payers.has(holder)),
});
