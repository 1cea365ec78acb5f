import { presentAddress } from '../../investigate/model/address.ts';
import type { Traced } from '../../investigate/trace/together/trace-together.ts';
import type { ResultOf } from '../../retrace/result.ts';
import { presentTrace } from '../trace/presenter.ts';

type Presented = ReturnType<typeof presentTrace>;

/**
 * Like the answer of `POST /trace`, without the list of searched wallets, which would be most of it, and with
 * its inputs.
 */
export const presentTraced = (one: Traced): ResultOf<Presented> => {
  if ('refused' in one) {
    const { code, field, message } = one.refused;
    return { refused: { code, field, message } };
  }
  const presented = presentTrace(one.trace, { gap: null });
  const answer = {
    ...presented,
    window: { ...presented.window, searched: [] },
    // A job reads nothing from a chain, and has nothing to go on with.
    meta: { ...presented.meta, read: [], missing: [] },
    continuation: null,
  };
  const labels = [...one.basis.labels].map(
    ([address, label]) => [presentAddress(one.trace.chain, address), label] as const,
  );
  const basis = { labels: Object.fromEntries(labels), prices: Object.fromEntries(one.basis.prices) };
  return { answer, basis };
};
