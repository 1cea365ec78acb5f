import { isDepositAddress, passingKind } from '../../model/label.ts';
import { behave, type FindBehaviour, isInEarnest } from './observed.ts';

const BRIDGED_MIN = 3;

/** A label list or the sweep rule says that an exchange assigned this address to one customer. */
export const findDepositAddress: FindBehaviour = ({ label, payments }) => {
  if (label === null || !isDepositAddress(label)) return null;
  const detail = `It is one customer's address at an exchange: ${label.name}.`;
  const sweeps = payments.filter(({ direction }) => direction === 'out');
  return behave('deposit_address', { confidence: 0.9, severity: 'info', detail }, sweeps);
};

/** The wallet used bridges more than twice, in either direction. */
export const findBridgeHopper: FindBehaviour = ({ payments, labels }) => {
  const bridged = payments.filter((each) => {
    const label = labels.get(each.counterparty);
    return label && passingKind(label) === 'bridge' && isInEarnest(each);
  });
  if (bridged.length < BRIDGED_MIN) return null;
  const detail = `It used bridges ${bridged.length} times.`;
  return behave('bridge_hopper', { confidence: 0.9, severity: 'info', detail }, bridged.toReversed());
};

/** The wallet paid a mixer or was paid by one. Dust does not count, because anybody can send it. */
export const findMixerUser: FindBehaviour = ({ payments, services }) => {
  const mixed = payments.filter(
    (each) => services.get(each.counterparty)?.kind === 'mixer' && isInEarnest(each),
  );
  if (mixed.length === 0) return null;
  const detail = `It dealt with mixers ${mixed.length === 1 ? 'once' : `${mixed.length} times`}.`;
  return behave('mixer_user', { confidence: 0.95, severity: 'medium', detail }, mixed.toReversed());
};
