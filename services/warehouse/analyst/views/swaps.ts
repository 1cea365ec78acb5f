import { type AnalystView, type Column, visible } from '../analyst-view.ts';
import { KEY_FORM, showAddress, shownColumn } from '../show-address.ts';
import { valueAmount } from '../value-amount.ts';
import { CHAIN, indexIn, MONEY, PLACE } from './movements.ts';

const sideColumns = (side: 'gave' | 'got'): Column[] => [
  [`${side}_asset`, 'LowCardinality(String)', `what the owner ${side}: native, or the token’s address`],
  ...MONEY.map(([name, type, comment]): Column => [`${side}_${name}`, type, comment]),
];

export const SWAPS: AnalystView = {
  name: 'swaps',
  comment:
    'An owner gave one asset and got another within one transaction. Key: chain, owner; by asset and time of all owners nothing is indexed.',
  columns: [
    CHAIN,
    ['owner', 'String', `whose assets were swapped: ${KEY_FORM}`],
    ...PLACE,
    indexIn('swaps'),
    ['tx_hash', 'String', 'of the transaction'],
    ['sender', 'String', `who pays the fee of the transaction: ${KEY_FORM}`],
    ...sideColumns('gave'),
    ...sideColumns('got'),
    ['through', 'String', 'the pool or program that gave it; empty where the asset was issued by nobody'],
    shownColumn('owner'),
  ],
  query: (database) => {
    const sideOf = (side: 'gave' | 'got') => {
      const { joins, symbol, amount, usd } = valueAmount(database, {
        prefix: `${side}_`,
        asset: `t.${side}_asset`,
        canonicalAsset: `t.${side}_family`,
        time: 't.block_time',
        amount: `t.${side}_amount`,
      });
      const columns = `t.${side}_asset AS ${side}_asset, ${symbol} AS ${side}_symbol, ${amount} AS ${side}_amount,
  t.${side}_amount AS ${side}_amount_raw, ${usd} AS ${side}_usd`;
      return { joins, columns };
    };
    const [gave, got] = [sideOf('gave'), sideOf('got')];
    return `
SELECT t.chain AS chain, t.owner AS owner, t.block_number AS block_number, t.block_time AS block_time, t.tx_index AS tx_index,
  t.index AS index, t.tx_hash AS tx_hash, t.sender AS sender, ${gave.columns},
  ${got.columns}, t.through AS through, ${showAddress('t.owner')} AS owner_shown
FROM (SELECT * FROM ${database}.swaps WHERE ${visible(database)}) AS t${gave.joins}${got.joins}`;
  },
};
