import { CONTROL_KINDS } from '../../../investigate/model/control-event.ts';
import { type AnalystView, MISSING_BEFORE, missingBefore, visible } from '../analyst-view.ts';
import { KEY_FORM, showAddress, shownColumn } from '../show-address.ts';
import { valueAmount } from '../value-amount.ts';
import { CHAIN, indexIn, MONEY, PLACE } from './movements.ts';

export const BLOCKS: AnalystView = {
  name: 'blocks',
  comment: 'What is indexed: a row for each part of a block. Key: chain, number.',
  columns: [
    CHAIN,
    ['number', 'UInt64', 'slot on Solana'],
    ['hash', 'String', 'of the block'],
    ['parent_number', 'Nullable(UInt64)', 'the block before it, where it is told'],
    ['time', "DateTime('UTC')", '1970-01-01 where the block has no time'],
    ['part', 'UInt32', 'from 0: large blocks are kept in parts'],
    ['transactions', 'UInt32', 'in this part'],
    ['movements', 'UInt32', 'in this part'],
  ],
  query: (database) => `
SELECT chain, number, hash, parent_number, time, part, transactions, movements
FROM ${database}.blocks WHERE ${visible(database)}`,
};

export const BRIDGE_TRANSFERS: AnalystView = {
  name: 'bridge_transfers',
  comment: 'What bridges tell of money put in and paid out. Key: chain, block_number.',
  columns: [
    ...[CHAIN, ...PLACE],
    indexIn('bridge transfers'),
    ['tx_hash', 'String', 'of the transaction'],
    ['bridge', 'LowCardinality(String)', 'cctp, wormhole, debridge, across, stargate'],
    ['side', 'LowCardinality(String)', 'deposit: put in here; delivery: paid out here'],
    ['message_id', 'String', 'the same on both sides; empty where the bridge tells none'],
    ['far_chain', 'String', 'the chain of the other side; empty where it is none that is known'],
    ['from_address', 'String', `who put it in: ${KEY_FORM}; empty where not told`],
    ['to_address', 'String', `who is paid: ${KEY_FORM}; empty where not told`],
    ['asset', 'String', 'what moved on this side'],
    ...MONEY,
  ],
  query: (database) => {
    const { joins, symbol, amount, usd } = valueAmount(database, {
      asset: 't.asset',
      time: 't.block_time',
      amount: 't.amount',
      canonicalAsset: `if((t.chain, t.asset) IN (SELECT chain, asset FROM ${database}.wrapped_native), 'native', t.asset)`,
    });
    return `
SELECT t.chain AS chain, t.block_number AS block_number, t.block_time AS block_time, t.tx_index AS tx_index, t.index AS index,
  t.tx_hash AS tx_hash, t.bridge AS bridge, t.side AS side, t.message_id AS message_id, t.far_chain AS far_chain,
  t.from_address AS from_address, t.to_address AS to_address, t.asset AS asset, ${symbol} AS symbol, ${amount} AS amount,
  t.amount AS amount_raw, ${usd} AS usd
FROM (SELECT * FROM ${database}.bridge_transfers WHERE ${visible(database)}) AS t${joins}`;
  },
};

export const CONTROL_EVENTS: AnalystView = {
  name: 'control_events',
  comment:
    'Who may act for whom, and who made what, once for each party to it. Key: chain, address, role, kind, block_time.',
  columns: [
    CHAIN,
    ['address', 'String', `a party to it: ${KEY_FORM}`],
    ['role', 'LowCardinality(String)', 'what the address is in it: subject, holder, party'],
    ['kind', 'LowCardinality(String)', CONTROL_KINDS.join(', ')],
    ...PLACE,
    indexIn('control events'),
    ['subject', 'String', 'the token, token account, program, contract or wallet concerned'],
    ['holder', 'String', 'whose it is or was; empty where nobody is told'],
    ['party', 'String', 'the new authority, delegate, spender, caller; empty where there is none'],
    ['asset', 'String', 'the mint of a token account'],
    ['amount_raw', 'UInt256', 'what may be spent, 0 where revoked; how many calls'],
    ['detail', 'String', 'the authority’s name, the scope of an approval, or what a token calls itself'],
    shownColumn('address'),
  ],
  query: (database) => `
SELECT chain, address, role, kind, block_number, block_time, tx_index, index, subject, holder, party, asset, amount AS amount_raw,
  detail, ${showAddress('address')} AS address_shown
FROM ${database}.control_entries WHERE ${visible(database)}`,
};

export const LOOKALIKES: AnalystView = {
  name: 'lookalikes',
  comment:
    'Addresses made to be mistaken for one that a wallet deals with: of equal ends, and seen later. Key: chain, victim.',
  columns: [
    CHAIN,
    ['victim', 'String', `who dealt with both: ${KEY_FORM}`],
    ['lookalike', 'String', `the later one: ${KEY_FORM}`],
    ['original', 'String', `the earlier one: ${KEY_FORM}`],
    ['met_at', "DateTime('UTC')", 'when the victim first dealt with the look-alike'],
    MISSING_BEFORE,
    ...[shownColumn('victim'), shownColumn('lookalike'), shownColumn('original')],
  ],
  query: (database) => `
SELECT chain, victim, lookalike, original, min(lookalikes.met).block_time AS met_at,${missingBefore(database, 'chain')}, ${showAddress('victim')} AS victim_shown,
  ${showAddress('lookalike')} AS lookalike_shown, ${showAddress('original')} AS original_shown
FROM ${database}.lookalikes
GROUP BY chain, victim, lookalike, original HAVING min(lookalikes.seen) > min(lookalikes.original_seen)`,
};
