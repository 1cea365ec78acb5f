import { useState } from 'react';
import { Link as PageLink } from 'wouter';
import { AddressText, LabelText } from '../shared/address-text.tsx';
import { Price } from '../shared/call.tsx';
import { formatAmount, formatTime, formatUsd } from '../shared/format.ts';
import { endOf } from './card-end.ts';
import type { Card, Link, NextCall } from './picture.ts';
import { writeSearch } from './read-question.ts';
import type { View, ViewEvent } from './view-events.ts';

const COLOURS = ['red', 'amber', 'green', 'blue'] as const;

type Props = {
  readonly card: Card;
  readonly links: readonly Link[];
  readonly view: View;
  readonly onAct: (event: ViewEvent) => void;
  /** null: the reader may only look. */
  readonly onExpand: ((body: object, from: string) => void) | null;
  readonly onClose: () => void;
};

/** All that is known of the chosen wallet, and what can be done with it. */
export const CardPanel = ({ card, links, view, onAct, onExpand, onClose }: Props) => {
  const paid = links.filter(({ from, to }) => from === card.key || to === card.key);
  return (
    <aside className="panel" aria-label="Chosen wallet">
      <div className="tools">
        <h3>
          <AddressText chain={card.chain} address={card.address} /> <LabelText label={card.label} />
        </h3>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
      <dl>
        <dt>Arrived</dt>
        <dd>
          {formatAmount(card.arrived)} {card.symbol}, {formatUsd(card.usd)}
        </dd>
        <dt>Left</dt>
        <dd>
          {formatAmount(card.left)} {card.symbol}
        </dd>
        <dt>Rests</dt>
        <dd>
          {formatAmount(card.rest)} {card.symbol}
        </dd>
        {endOf(card) !== '' && (
          <>
            <dt>End</dt>
            <dd>{endOf(card)}</dd>
          </>
        )}
      </dl>
      {onExpand !== null && card.next.length > 0 && (
        <ul className="next">
          {card.next.map((next) => (
            <li key={JSON.stringify(next)}>
              <NextStep next={next} card={card} onExpand={onExpand} />
            </li>
          ))}
        </ul>
      )}
      <p>
        <a href={card.explorerUrl} target="_blank" rel="noreferrer">
          See it at {new URL(card.explorerUrl).host}
        </a>
      </p>
      {onExpand !== null && (
        <NoteField
          key={card.key}
          note={view.notes.get(card.key) ?? ''}
          onSave={(note) => onAct({ type: 'noted', card: card.key, note })}
        />
      )}
      <fieldset className="tools" aria-label="Colour">
        {onExpand !== null &&
          COLOURS.map((colour) => (
            <button
              key={colour}
              type="button"
              aria-pressed={view.colours.get(card.key) === colour}
              onClick={() =>
                onAct({
                  type: 'coloured',
                  card: card.key,
                  colour: view.colours.get(card.key) === colour ? null : colour,
                })
              }
            >
              {colour}
            </button>
          ))}
        {!card.isStart && (
          <button
            type="button"
            onClick={() => {
              onAct({ type: 'hid', card: card.key });
              onClose();
            }}
          >
            Hide this wallet
          </button>
        )}
      </fieldset>
      <h4>Payments</h4>
      <ul>
        {paid.map((link) => (
          <li key={link.key}>
            {link.to === card.key ? 'in' : 'out'}: {formatAmount(link.amount)} {link.symbol},{' '}
            {formatUsd(link.usd)}, {link.isFact ? 'a fact of the chain' : 'inferred'}
            {link.transactions[0] ? `, first ${formatTime(link.transactions[0].time)}` : ''}
          </li>
        ))}
      </ul>
    </aside>
  );
};

const NextStep = ({
  next,
  card,
  onExpand,
}: {
  next: NextCall;
  card: Card;
  onExpand: (body: object, from: string) => void;
}) => {
  if (next.path === '/trace')
    return (
      <PageLink href={`/candidates?${writeSearch(next.body)}`}>
        Who took {traceAmount(next.body)} out again
        {typeof next.body.time === 'number' ? `, paid in ${formatTime(next.body.time)}` : ''}?
      </PageLink>
    );
  return (
    <>
      <button type="button" onClick={() => onExpand(next.body, card.key)}>
        Follow it further
        {typeof next.body.chain === 'string' && next.body.chain !== card.chain
          ? ` on ${next.body.chain}`
          : ''}
      </button>{' '}
      <Price tariff="follow" />
    </>
  );
};

const traceAmount = ({ sol, usd }: Readonly<Record<string, unknown>>): string =>
  typeof sol === 'number' && sol !== 0 ? formatAmount(sol) : formatUsd(Number(usd));

const NoteField = ({ note, onSave }: { note: string; onSave: (note: string) => void }) => {
  const [text, setText] = useState(note);
  return (
    <form
      className="note"
      onSubmit={(event) => {
        event.preventDefault();
        onSave(text.trim());
      }}
    >
      <label>
        Note
        <input value={text} maxLength={500} onChange={(event) => setText(event.target.value)} />
      </label>
      <button type="submit" disabled={text.trim() === note}>
        Keep
      </button>
    </form>
  );
};
