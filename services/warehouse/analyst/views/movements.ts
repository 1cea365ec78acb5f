import { HAND_OVER_KINDS_LISTED } from '../../sql-clauses.ts';
import { type AnalystView, type Column, MISSING_BEFORE, missingBefore, visible } from '../analyst-view.ts';
import { givenAddress, KEY_FORM, showAddress, shownColumn } from '../show-address.ts';
import { AMOUNT, valueAmount } from '../value-amount.ts';

const NAME = 'LowCardinality(String)';
export const CHAIN: Column = ['chain', NAME, 'solana, ethereum, base, …'];
export const PLACE: readonly Column[] = [
  ['block_number', 'UInt64', 'slot on Solana'],
  ['block_time', "DateTime('UTC')", '1970-01-01 where the block has no time'],
  ['tx_index', 'Int32', 'place of the transaction in its block; -1 for what is of the block itself'],
];
const KIND: Column = [
  'kind',
  NAME,
  'transfer, program (by a program or contract), fee, rent, reward, mint, burn, withdrawal, owner_change, wrap, unwrap',
];
const FAMILY: Column = ['asset', NAME, 'native for the coin and its wrapped form, else the token’s address'];
export const MONEY: readonly Column[] = [
  ['symbol', 'Nullable(String)', 'null where nothing trustworthy names the asset'],
  ['amount', AMOUNT, 'exact, in whole units; null where decimals are unknown or it does not fit'],
  ['amount_raw', 'UInt256', 'exact, in the smallest units of the asset'],
  ['usd', 'Nullable(Float64)', 'dollars at that time; null where no price is known'],
];
export const indexIn = (what: string): Column => [
  'index',
  'UInt32',
  `place among the ${what} of its transaction`,
];
const INDEX = indexIn('movements');

const SIDE: readonly Column[] = [
  ['address', 'String', `whose side of the movement this is: ${KEY_FORM}`],
  ['direction', NAME, 'in: the address got it; out: it gave it'],
];
const COUNTERPARTY: Column = ['counterparty', 'String', 'the other side; empty where the chain has none'];
const SIDES_SHOWN = [shownColumn('address'), shownColumn('counterparty')];

const ofAccounts = (
  view: Pick<AnalystView, 'name' | 'comment'> & { kinds: string; where?: string },
): AnalystView => ({
  ...view,
  columns: [
    CHAIN,
    ...SIDE,
    FAMILY,
    ...PLACE,
    INDEX,
    COUNTERPARTY,
    ...MONEY,
    KIND,
    IS_SENDER,
    MISSING_BEFORE,
    ...SIDES_SHOWN,
  ],
  query: (database) => {
    const { joins, ...money } = valueAmount(database, {
      asset: 't.asset_family',
      canonicalAsset: 't.asset_family',
      time: 't.block_time',
      amount: 't.amount',
    });
    return `
SELECT t.chain AS chain, t.address AS address, t.direction AS direction, t.asset_family AS asset,
  t.block_number AS block_number, t.block_time AS block_time, t.tx_index AS tx_index, t.index AS index,
  t.counterparty AS counterparty, ${money.symbol} AS symbol, ${money.amount} AS amount, t.amount AS amount_raw,
  ${money.usd} AS usd, t.kind AS kind, t.is_sender AS is_sender,${missingBefore(database, 't.chain')},
  ${showAddress('t.address')} AS address_shown, ${showAddress('t.counterparty')} AS counterparty_shown
FROM (SELECT * FROM ${database}.account_entries WHERE ${view.kinds} AND ${visible(database)}) AS t${joins}`;
  },
});

const IS_SENDER: Column = ['is_sender', 'Bool', 'whether the address pays the fee of the transaction'];

export const WALLET_ACTIVITY = ofAccounts({
  name: 'wallet_activity',
  comment:
    'All that moved, once for each side. Key: chain, address, direction, asset, block_time; with hashes: wallet.',
  kinds: 'true',
});

export const HOPS = ofAccounts({
  name: 'hops',
  comment:
    'What one address handed to another, once for each side, as money is followed: without fees, rent, mints, burns and what a wallet sends itself. Key: chain, address, direction, asset, block_time; with hashes: wallet.',
  kinds: `kind IN (${HAND_OVER_KINDS_LISTED}) AND amount > 0 AND counterparty NOT IN ('', address)`,
});

const TRANSFER_COLUMNS: readonly Column[] = [
  ...[CHAIN, ...PLACE, INDEX],
  ['tx_hash', 'String', 'of the transaction; empty for what is of the block itself'],
  ['sender', 'String', `who pays the fee of the transaction: ${KEY_FORM}`],
  KIND,
  ['from_address', 'String', `${KEY_FORM}; empty where the chain has no owner on that side`],
  ['to_address', 'String', `${KEY_FORM}; empty where the chain has no owner on that side`],
  ['asset', NAME, 'native, or the token’s address'],
  ['asset_family', NAME, 'native for the wrapped coin, too'],
  ...MONEY,
  ['authority', 'String', 'who signed for it where that is not from_address'],
  ...[shownColumn('from_address'), shownColumn('to_address')],
];

const ofTransfers = (
  view: Pick<AnalystView, 'name' | 'comment'> & { where: (database: string) => string },
): AnalystView => ({
  ...view,
  columns: TRANSFER_COLUMNS,
  query: (database) => {
    const { joins, ...money } = valueAmount(database, {
      asset: 't.asset',
      canonicalAsset: 't.asset_family',
      time: 't.block_time',
      amount: 't.amount',
    });
    return `
SELECT t.chain AS chain, t.block_number AS block_number, t.block_time AS block_time, t.tx_index AS tx_index, t.index AS index,
  t.tx_hash AS tx_hash, t.sender AS sender, t.kind AS kind, t.from_address AS from_address, t.to_address AS to_address,
  t.asset AS asset, t.asset_family AS asset_family, ${money.symbol} AS symbol, ${money.amount} AS amount,
  t.amount AS amount_raw, ${money.usd} AS usd, t.authority AS authority,
  ${showAddress('t.from_address')} AS from_address_shown, ${showAddress('t.to_address')} AS to_address_shown
FROM (SELECT * FROM ${database}.transfers WHERE ${view.where(database)} AND ${visible(database)}) AS t${joins}`;
  },
});

export const TRANSFERS = ofTransfers({
  name: 'transfers',
  comment:
    'Every movement once, in the order of the chain. Key: chain, block_number. By wallet ask wallet_activity, by hash transaction, by time transfers_between.',
  where: () => 'true',
});

export const TRANSACTION = ofTransfers({
  name: 'transaction',
  comment: "transaction(hash = '…'): the movements of one transaction, as transfers has them.",
  where: (database) => `(chain, block_number, tx_index) IN
  (SELECT chain, block_number, tx_index FROM ${database}.transactions
    WHERE hash_key = cityHash64(${givenAddress('hash')}) AND ${visible(database)})
  AND tx_hash = ${givenAddress('hash')}`,
});

const ofTime = (database: string, choose: string): string =>
  `(SELECT ${choose}(number) FROM ${database}.blocks
    WHERE chain = {chain:String} AND time >= {from:DateTime('UTC')} AND time < {to:DateTime('UTC')})`;

export const TRANSFERS_BETWEEN = ofTransfers({
  name: 'transfers_between',
  comment:
    "transfers_between(chain = 'solana', from = '2025-09-01 00:00:00', to = '2025-09-02 00:00:00'): transfers of blocks between two times, the second not included.",
  where: (database) => `chain = {chain:String} AND block_number >= ${ofTime(database, 'min')}
  AND block_number <= ${ofTime(database, 'max')}
  AND block_time >= {from:DateTime('UTC')} AND block_time < {to:DateTime('UTC')}`,
});
