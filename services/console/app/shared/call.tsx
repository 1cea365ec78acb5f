import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { TARIFFS, type TariffName } from '../../../credits/decider/tariffs.ts';
import { SpoorError } from '../../../sdk/spoor-error.ts';
import { describeProgress, type Progress } from './progress.ts';
import { useAccess } from './use-access.ts';

const ONE = { analyses: '1 analysis', traces: '1 trace' } as const;

/** What a call costs, before it is made. Nothing on a service that is open to all. */
export const Price = ({ tariff }: { tariff: TariffName }) => {
  const access = useAccess();
  if (access === 'open') return <span className="price">free here</span>;
  const { allowance, units, credits, usdMicros } = TARIFFS[tariff];
  const what = units === 1 ? ONE[allowance] : `${units} ${allowance}`;
  return (
    <span className="price">
      costs {what} or {credits} credits (${(usdMicros / 1e6).toFixed(2)})
    </span>
  );
};

type RunningProps = { readonly what: string; readonly progress: Progress; readonly onCancel: () => void };

/** Shows that a call runs, for how long, and what it reads meanwhile, and lets the reader end it. */
export const Running = ({ what, progress, onCancel }: RunningProps) => {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const ticking = setInterval(() => setSeconds((before) => before + 1), 1_000);
    return () => clearInterval(ticking);
  }, []);
  const { read, reading } = progress;
  const all = read + reading.size;
  const reads = describeProgress(progress);
  return (
    <div className="running" role="status">
      {all === 0 ? <progress aria-label={what} /> : <progress aria-label={what} value={read} max={all} />}
      <span>
        {what}
        {seconds >= 2 ? `, ${seconds} s so far` : ''}
        {reads === null ? '' : `: ${reads}`}
      </span>
      <button type="button" onClick={onCancel}>
        Cancel
      </button>
    </div>
  );
};

/** Why there is no answer, and what to do. */
export const Failed = ({ error, onAgain }: { error: unknown; onAgain?: () => void }) => {
  const refused = error instanceof SpoorError ? error : null;
  return (
    <div className="failed" role="alert">
      <p>{refused?.message ?? 'The service could not be reached.'}</p>
      {refused !== null && refused.fields.length > 0 && (
        <ul>
          {refused.fields.map(({ path, message }) => (
            <li key={path}>
              <code>{path}</code> {message}
            </li>
          ))}
        </ul>
      )}
      {(refused?.status === 401 || refused?.status === 402) && (
        <p>
          <Link href="/access">Give a key or sign in with a wallet</Link>, then ask again.
        </p>
      )}
      {refused?.requestId && <p className="quiet">Request {refused.requestId}</p>}
      {onAgain && (
        <button type="button" onClick={onAgain}>
          Ask again
        </button>
      )}
    </div>
  );
};
