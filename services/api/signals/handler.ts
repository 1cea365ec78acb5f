import { LEVEL_CUTS, SCORE_VERSION } from '../../investigate/analyze/risk/score.ts';
import { SIGNALS, SIGNALS_VERSION } from '../../investigate/analyze/risk/signals.ts';
import type { ApiMiddleware } from '../context.ts';

/** GET /signals: how risk is scored, public and free. */
export const createSignalsHandler = (): ApiMiddleware => (ctx) => {
  ctx.body = {
    versions: { score: SCORE_VERSION, signals: SIGNALS_VERSION },
    score: '100 × (1 − Π(1 − weight × strength)) over the signals that fired',
    levels: LEVEL_CUTS,
    signals: SIGNALS.map(({ code, severity, weight, meaning, evidence, source }) => ({
      ...{ code, severity, weight, meaning, evidence },
      full_share: source.type === 'exposure' ? source.fullShare : null,
    })),
  };
};
