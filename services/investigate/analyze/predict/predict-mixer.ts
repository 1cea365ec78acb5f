import type { Address } from '../../model/address.ts';
import { type TransactionRow, transactionKey } from '../../model/transfer-reader.ts';
import type { Observed } from '../behaviours/observed.ts';
import type { Prediction } from '../profile.ts';

/** A person may send a friend's withdrawal once. */
const WITHDRAWALS_MIN = 5;
const RECIPIENTS_MIN = 3;
const SHARE_MIN = 0.8;

/** A mixer's payouts within one transaction. The largest part goes to the recipient. */
type Withdrawal = {
  readonly mixer: string;
  readonly sender: Address;
  readonly recipient: Address;
  readonly payees: ReadonlySet<Address>;
};

/**
 * The wallet sends the withdrawals of many others, and somebody keeps a fee from them. A thief with a
 * separate gas wallet sends only their own withdrawals and pays no such fee.
 */
export const predictRelayer = (observed: Observed): Prediction | null => {
  const { wallet } = observed;
  const sent = findWithdrawals(observed).filter(
    ({ sender, recipient, payees }) => sender === wallet && recipient !== wallet && payees.size > 1,
  );
  const [first] = sent;
  if (first === undefined || !isMany(sent)) return null;
  const why = `It sent ${sent.length} withdrawals of others from ${first.mixer}.`;
  return { type: 'mixer', confidence: 0.8, why };
};

/** The wallet gets a part of what a mixer pays to many others, and hardly anything else. */
export const predictMixerFees = (observed: Observed): Prediction | null => {
  const { wallet, siblings } = observed;
  const paid = Map.groupBy(
    siblings.filter(({ to }) => to === wallet),
    transactionKey,
  ).size;
  const cut = findWithdrawals(observed).filter(
    ({ sender, recipient, payees }) => sender !== wallet && recipient !== wallet && payees.has(wallet),
  );
  const [first] = cut;
  if (first === undefined || !isMany(cut) || cut.length < paid * SHARE_MIN) return null;
  const why = `It got a part of ${cut.length} withdrawals of others from ${first.mixer}.`;
  return { type: 'mixer', confidence: 0.75, why };
};

const isMany = (of: readonly Withdrawal[]): boolean =>
  of.length >= WITHDRAWALS_MIN && new Set(of.map(({ recipient }) => recipient)).size >= RECIPIENTS_MIN;

const findWithdrawals = ({ siblings, services }: Observed): readonly Withdrawal[] =>
  [...Map.groupBy(siblings, transactionKey).values()].flatMap((rows): Withdrawal[] => {
    const out = rows.filter(({ from }) => services.get(from)?.kind === 'mixer');
    const largest = out.reduce<TransactionRow | null>(
      (best, row) => (best === null || row.amountRaw > best.amountRaw ? row : best),
      null,
    );
    if (largest === null) return [];
    const mixer = services.get(largest.from)?.entity ?? '';
    const { sender, to: recipient } = largest;
    return [{ mixer, sender, recipient, payees: new Set(out.map(({ to }) => to)) }];
  });
