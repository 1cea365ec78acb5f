import type { Profile } from '../../../sdk/create-spoor.ts';
import { formatShare, formatUsd } from '../shared/format.ts';
import { Scroll } from '../shared/scroll.tsx';

/** The level of risk, each reason, what would change it, and whose money came and went. */
export const RiskPart = ({ risk }: { risk: Profile['risk']; chain: string }) => (
  <section>
    <h2>
      Risk: {risk.level ?? 'unknown'}
      {risk.score === null ? '' : `, ${risk.score} of 100`}
    </h2>
    <p className="quiet">{risk.basis}</p>
    {risk.reasons.length === 0 ? (
      <p>Nothing that was read speaks against it. That is not a proof that it is harmless.</p>
    ) : (
      <ul>
        {risk.reasons.map((reason) => (
          <li key={reason.code}>
            <strong>{reason.severity}</strong>: {reason.detail}
          </li>
        ))}
      </ul>
    )}
    {risk.would_change.length > 0 && (
      <>
        <h3>What would change it</h3>
        <ul>
          {risk.would_change.map((change) => (
            <li key={JSON.stringify(change.without)}>
              Without {describeWithout(change.without)}: {change.level}, {change.score} of 100
            </li>
          ))}
        </ul>
      </>
    )}
    {risk.exposure !== null && (
      <Scroll name="Exposure">
        <table>
          <caption>Whose money came in, and to whom it went</caption>
          <thead>
            <tr>
              <th scope="col">Kind</th>
              <th scope="col">In</th>
              <th scope="col">Share</th>
              <th scope="col">Out</th>
              <th scope="col">Share</th>
            </tr>
          </thead>
          <tbody>
            {exposuresOf(risk.exposure).map(({ kind, into, out }) => (
              <tr key={kind}>
                <th scope="row">{kind}</th>
                <td className="number">{formatUsd(into.usd)}</td>
                <td className="number">{formatShare(into.share ?? 0)}</td>
                <td className="number">{formatUsd(out.usd)}</td>
                <td className="number">{formatShare(out.share ?? 0)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    )}
  </section>
);

type Without = Profile['risk']['would_change'][number]['without'];

const describeWithout = (without: Without): string =>
  'label' in without && without.label
    ? `the label ${without.label.name}`
    : `the signal ${'signal' in without ? without.signal : ''}`;

type Exposure = NonNullable<Profile['risk']['exposure']>;
type Side = { readonly usd: number; readonly share: number | null };

/** Only kinds of which there is something. */
const exposuresOf = (exposure: Exposure) =>
  Object.keys(exposure.in ?? exposure.out ?? {})
    .map((kind) => ({ kind, into: sideOf(exposure.in, kind), out: sideOf(exposure.out, kind) }))
    .filter(({ into, out }) => into.usd > 0 || out.usd > 0);

const NOTHING: Side = { usd: 0, share: 0 };

const sideOf = (side: Exposure['in' | 'out'], kind: string): Side =>
  (side as Readonly<Record<string, Side>> | null)?.[kind] ?? NOTHING;
