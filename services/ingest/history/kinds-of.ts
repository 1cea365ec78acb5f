import {
  COIN_KINDS,
  type HistoryKind,
  type HistorySide,
  TOKEN_KINDS,
} from '../../investigate/model/history.ts';
import { NATIVE } from '../../investigate/model/movement.ts';

const OUT: readonly HistoryKind[] = ['sent', 'internal', 'tokens_out'];

/** The kinds of lists that together hold what somebody wants to know. */
export const kindsOf = ({
  asset,
  side,
}: {
  readonly asset: string | null;
  readonly side: HistorySide;
}): HistoryKind[] => {
  if (side === 'emitted') return ['emitted'];
  // Wrapping the coin is an event of the wrapped coin's contract.
  const all = asset === null || asset === NATIVE ? [...COIN_KINDS, ...TOKEN_KINDS] : TOKEN_KINDS;
  return all.filter(
    (kind) => side === 'both' || OUT.includes(kind) === (side === 'out') || kind === 'internal',
  );
};
