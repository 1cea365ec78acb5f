import { NATIVE } from '../../../investigate/model/movement.ts';
import { type AnalystView, type Column, MISSING_BEFORE, missingBefore, visible } from '../analyst-view.ts';
import { joinFacts } from '../asset-facts.ts';
import { givenAddress, KEY_FORM, showAddress, shownColumn } from '../show-address.ts';
import { valueAmount } from '../value-amount.ts';
import { CHAIN, MONEY } from './movements.ts';

const FUNDING: readonly Column[] = [
  CHAIN,
  ['wallet', 'String', `who was funded: ${KEY_FORM}`],
  ['funder', 'String', `who sent the wallet its first coin that is indexed: ${KEY_FORM}`],
  ['funded_at', "DateTime('UTC')", 'when'],
  ['block_number', 'UInt64', 'slot on Solana'],
  ...MONEY,
  MISSING_BEFORE,
  shownColumn('wallet'),
  shownColumn('funder'),
];

const funding = (database: string, where: string, having = 'true'): string => {
  const { joins, symbol, amount, usd } = valueAmount(database, {
    asset: 't.asset',
    canonicalAsset: 't.asset',
    time: 't.funded_at',
    amount: 't.amount',
    where: `asset = '${NATIVE}'`,
  });
  return `
SELECT t.chain AS chain, t.wallet AS wallet, t.funder AS funder, t.funded_at AS funded_at, t.block_number AS block_number,
  ${symbol} AS symbol, ${amount} AS amount, t.amount AS amount_raw, ${usd} AS usd,${missingBefore(database, 't.chain')},
  ${showAddress('t.wallet')} AS wallet_shown, ${showAddress('t.funder')} AS funder_shown
FROM
(
  SELECT chain, wallet, min(first_funders.first) AS told, told.funder AS funder, told.block_time AS funded_at,
    told.block_number AS block_number, told.amount AS amount, '${NATIVE}' AS asset
  FROM ${database}.first_funders WHERE ${where} GROUP BY chain, wallet HAVING ${having}
) AS t${joins}`;
};

export const FIRST_FUNDERS: AnalystView = {
  name: 'first_funders',
  comment:
    'Who sent a wallet its first coin, from blocks that are final. Key: chain, wallet; by funder ask funded_by.',
  columns: FUNDING,
  query: (database) => funding(database, 'true'),
};

export const FUNDED_BY: AnalystView = {
  name: 'funded_by',
  comment: "funded_by(chain = 'solana', funder = '…'): wallets whose first coin came from there.",
  columns: FUNDING,
  query: (database) =>
    funding(
      database,
      `chain = {chain:String} AND wallet IN
    (SELECT wallet FROM ${database}.funder_groups WHERE chain = {chain:String} AND funder = ${givenAddress('funder')})`,
      `funder = ${givenAddress('funder')}`,
    ),
};

const PROGRAM_KINDS =
  "'contract_created', 'program_deployed', 'program_upgraded', 'authority_changed', 'calls'";

export const PROGRAMS: AnalystView = {
  name: 'programs',
  comment:
    'Programs and contracts, by what their control events say. Key: chain, address. Blocks that were read without control events count for nothing.',
  columns: [
    CHAIN,
    ['address', 'String', `the program or contract: ${KEY_FORM}`],
    ['deployed_at', "Nullable(DateTime('UTC'))", 'null where that is in no block here'],
    ['deployed_by', 'Nullable(String)', `who deployed it: ${KEY_FORM}`],
    ['upgrades', 'UInt64', 'how often its code changed'],
    ['last_upgrade', "Nullable(DateTime('UTC'))", 'when its code last changed'],
    ['authority_changes', 'UInt64', 'how often an authority over it changed or was given up'],
    ['calls', 'UInt256', 'calls in all'],
    ['callers', 'UInt64', 'different callers, about; those that a block does not name are left out'],
    ['last_call', "Nullable(DateTime('UTC'))", 'when it was last called'],
    MISSING_BEFORE,
    shownColumn('address'),
  ],
  query: (database) => `
SELECT chain, address, minOrNullIf(block_time, kind IN ('contract_created', 'program_deployed')) AS deployed_at,
  argMinOrNullIf(holder, block_time, kind IN ('contract_created', 'program_deployed')) AS deployed_by,
  countIf(kind = 'program_upgraded') AS upgrades, maxOrNullIf(block_time, kind = 'program_upgraded') AS last_upgrade,
  countIf(kind = 'authority_changed') AS authority_changes, sumIf(amount, kind = 'calls') AS calls,
  uniqIf(party, kind = 'calls' AND party != '') AS callers, maxOrNullIf(block_time, kind = 'calls') AS last_call,${missingBefore(database, 'chain')},
  ${showAddress('address')} AS address_shown
FROM ${database}.control_entries
WHERE role = 'subject' AND kind IN (${PROGRAM_KINDS}) AND ${visible(database)}
GROUP BY chain, address
HAVING countIf(kind != 'authority_changed') > 0`,
};

const APPROVAL_COLUMNS: readonly Column[] = [
  CHAIN,
  ['holder', 'String', `whose tokens may be spent: ${KEY_FORM}`],
  ['spender', 'String', `who may spend them; empty where everybody’s right was revoked: ${KEY_FORM}`],
  ['token', 'String', `the token, or its account on Solana: ${KEY_FORM}`],
  ['asset', 'String', 'the token: of an account on Solana its mint'],
  ['symbol', 'Nullable(String)', 'null where nothing trustworthy names the asset'],
  ['kind', 'LowCardinality(String)', 'approval; permit: by a signature that somebody else handed in'],
  ['amount_raw', 'UInt256', 'what may be spent, in raw units; 0: revoked; 2^256 - 1 mostly means all'],
  ['unlimited', 'Bool', 'more than 2^95, or everything'],
  ['detail', 'String', 'id:… of one NFT; all; until:… unix seconds; empty: an amount without an end'],
  ['by_holder', 'Bool', 'whether the holder did it himself'],
  ['block_time', "DateTime('UTC')", '1970-01-01 where the block has no time'],
  ['block_number', 'UInt64', 'slot on Solana'],
  shownColumn('holder'),
  shownColumn('spender'),
];

const approvals = (database: string, role: 'holder' | 'party'): string => {
  const [holder, spender] = role === 'holder' ? ['address', 'party'] : ['holder', 'address'];
  return `
SELECT t.chain AS chain, t.${holder} AS holder, t.${spender} AS spender, t.subject AS token, t.of AS asset, facts.symbol AS symbol,
  t.kind AS kind, t.amount AS amount_raw, (t.amount > bitShiftLeft(toUInt256(1), 95) OR t.detail = 'all')::Bool AS unlimited,
  t.detail AS detail, t.by_holder AS by_holder, t.block_time AS block_time, t.block_number AS block_number,
  ${showAddress(`t.${holder}`)} AS holder_shown, ${showAddress(`t.${spender}`)} AS spender_shown
FROM
(
  SELECT *, if(asset = '', subject, asset) AS of FROM ${database}.control_entries
  WHERE role = '${role}' AND kind IN ('approval', 'permit') AND ${visible(database)}
) AS t${joinFacts(database, { as: 'facts', asset: 't.of' })}`;
};

export const APPROVALS: AnalystView = {
  name: 'approvals',
  comment:
    'Who let whom spend his tokens, each event; the latest of a token and spender counts. Key: chain, holder; by spender ask approvals_by_spender.',
  columns: APPROVAL_COLUMNS,
  query: (database) => approvals(database, 'holder'),
};

export const APPROVALS_BY_SPENDER: AnalystView = {
  name: 'approvals_by_spender',
  comment: 'The same, by who may spend. Key: chain, spender.',
  columns: APPROVAL_COLUMNS,
  query: (database) => approvals(database, 'party'),
};
