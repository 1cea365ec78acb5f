import { Link, useSearch } from 'wouter';
import type { Profile, Spoor } from '../../../sdk/create-spoor.ts';
import { openClient } from '../client.ts';
import { AddressText, CopyButton, LabelText } from '../shared/address-text.tsx';
import { Asked } from '../shared/asked.tsx';
import { formatAmount, formatTime, formatUsd, showName } from '../shared/format.ts';
import { ConnectionTable } from './connection-table.tsx';
import { RiskPart } from './risk-part.tsx';

/** Who a wallet, program or token is. */
export const ProfilePage = () => {
  const search = useSearch();
  const fields = new URLSearchParams(search);
  const body = { address: fields.get('address') ?? '', chain: fields.get('chain') ?? undefined };
  if (body.address === '')
    return (
      <>
        <h1>Who is this?</h1>
        <p>Paste an address above.</p>
      </>
    );
  return (
    <>
      <h1>Who is this?</h1>
      <p className="address-line">
        <code>{body.address}</code> <CopyButton text={body.address} what="address" />
      </p>
      <p>
        <Link href={`/flow?${search}`}>Follow its money</Link>,{' '}
        <Link href={`/origin?${search}`}>or where it came from</Link>
      </p>
      <Asked
        key={search}
        tariff="analyze"
        action="Read its profile"
        ask={(asking) => openClient().analyze(body as Parameters<Spoor['analyze']>[0], asking)}
        show={(answer) => <Found answer={answer} />}
      />
    </>
  );
};

const Found = ({ answer }: { answer: Profile }) => {
  const { chain, identity, labels, risk, funding, activity, behaviours, balances, meta } = answer;
  return (
    <>
      <section>
        <h2>{identity.name === null ? `A ${identity.type} without a name` : showName(identity.name)}</h2>
        {meta.detail !== null && <p className="quiet">{meta.detail}</p>}
        {labels.length > 0 && (
          <ul>
            {labels.map((label) => (
              <li key={JSON.stringify(label)}>
                <LabelText label={label} /> by {label.source}
                {label.valid_from === null ? '' : `, from ${formatTime(label.valid_from)}`}
              </li>
            ))}
          </ul>
        )}
      </section>
      <RiskPart risk={risk} chain={chain} />
      {funding !== null && (
        <section>
          <h2>First funded by</h2>
          <p>
            <AddressText chain={chain} address={funding.address} /> <LabelText label={funding.label} />:{' '}
            {formatAmount(funding.amount)} {funding.asset}, {formatTime(funding.time)}
          </p>
          {funding.seen_in !== null && <p className="quiet">{funding.seen_in}</p>}
        </section>
      )}
      {activity !== null && (
        <section>
          <h2>Activity</h2>
          <p>
            {activity.transactions} transactions with {activity.counterparties} others,{' '}
            {formatUsd(activity.usd_in)} in and {formatUsd(activity.usd_out)} out
            {activity.first_seen !== null &&
              activity.last_seen !== null &&
              `, seen from ${formatTime(activity.first_seen)} to ${formatTime(activity.last_seen)}`}
            .
          </p>
          <ul>
            {behaviours.map((behaviour) => (
              <li key={behaviour.name}>
                {behaviour.detail} <small>told by behaviour</small>
              </li>
            ))}
          </ul>
        </section>
      )}
      {balances.length > 0 && (
        <section>
          <h2>Holds</h2>
          <ul>
            {balances.map((balance) => (
              <li key={balance.asset.address}>
                {balance.amount === null ? 'an unknown amount of' : formatAmount(balance.amount)}{' '}
                {balance.asset.symbol === null ? 'an unnamed token' : showName(balance.asset.symbol)},{' '}
                {formatUsd(balance.usd)}
              </li>
            ))}
          </ul>
        </section>
      )}
      <ConnectionTable connections={answer.connections} chain={chain} />
    </>
  );
};
