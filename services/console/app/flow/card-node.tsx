import { Handle, type Node, type NodeProps, Position } from '@xyflow/react';
import { LabelText } from '../shared/address-text.tsx';
import { formatAmount, formatShare, formatUsd, shorten } from '../shared/format.ts';
import { endOf } from './card-end.ts';
import type { Fold } from './choose-cards.ts';
import type { Card } from './picture.ts';

export type CardData = {
  readonly card: Card;
  readonly fold: Fold | null;
  readonly note: string | null;
  readonly colour: string | null;
  readonly isMarked: boolean;
  /** One card of the picture is in the tab order; arrow keys lead to the others. */
  readonly isFocusable: boolean;
  readonly onChoose: () => void;
  readonly onOpen: () => void;
};

/** A wallet in the picture. */
export const CardNode = ({ data }: NodeProps<Node<CardData, 'card'>>) => {
  const { card, fold, note, colour, isMarked, isFocusable, onChoose, onOpen } = data;
  const { address, chain, label, symbol, hop } = card;
  return (
    <div
      className={`card${isMarked ? ' marked' : ''}${card.isStart ? ' start' : ''}`}
      data-colour={colour ?? undefined}
    >
      <Handle type="target" position={Position.Left} isConnectable={false} />
      <button
        type="button"
        className="face"
        data-card={card.key}
        tabIndex={isFocusable ? 0 : -1}
        aria-pressed={isMarked}
        onClick={onChoose}
      >
        <span className="row">
          <b title={address}>{shorten(address)}</b>
          <small>
            {card.isStart ? 'start' : `hop ${hop}`} · {chain}
          </small>
        </span>
        <span className="row">{label ? <LabelText label={label} /> : <small>no label</small>}</span>
        <span className="row">
          <span>{formatUsd(card.usd)}</span>
          <span>
            {formatAmount(card.arrived)} {symbol}
          </span>
        </span>
        <span className="row quiet">
          <small>left {formatAmount(card.left)}</small>
          <small>rests {formatAmount(card.rest)}</small>
        </span>
        <span className="row">
          <span className="end">{endOf(card)}</span>
          <small>{card.probability === 1 ? 'certain' : `probability ${formatShare(card.probability)}`}</small>
        </span>
        {note !== null && <span className="row note">{note}</span>}
      </button>
      {fold !== null && (
        <button type="button" className="fold nodrag" onClick={onOpen}>
          +{fold.cards.length} wallets, {formatUsd(fold.usd)}
        </button>
      )}
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </div>
  );
};
