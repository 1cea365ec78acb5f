import { CHAINS } from '../../../investigate/model/chain.ts';
import { isPassing, LABEL_KINDS } from '../../../investigate/model/label.ts';
import { CURATED_SOURCE } from '../../../labels/rules/curated-source.ts';
import { mayInherit } from '../../../labels/rules/inherit-labels.ts';
import { type AnalystView, MISSING_BEFORE, missingBefore, visible } from '../analyst-view.ts';
import { KEY_FORM, showAddress, shownColumn } from '../show-address.ts';
import { CHAIN } from './movements.ts';

const ADDRESS = ['address', 'String', KEY_FORM] as const;

/** `spaced`, of a text. */
const spaced = (text: string): string => `trim(replaceRegexpAll(lowerUTF8(${text}), '[^a-z0-9]+', ' '))`;
const TEXTS = {
  speaking: [spaced('creator'), spaced('toString(source)')],
  named: [spaced('creator'), spaced('name'), spaced('toString(source)')],
};
const AUTHORITIES = (database: string): string => `(SELECT groupArray((authority, aliases)) FROM
    (SELECT authority, groupArray(alias) AS aliases FROM ${database}.sanction_authorities GROUP BY authority))`;
const authorities = (database: string, isMeant: string): string =>
  `if(kind = 'sanctioned', arrayMap(a -> a.1, arrayFilter(a -> ${isMeant}, ${AUTHORITIES(database)})), [])`;

const PASSING = LABEL_KINDS.filter((kind) => isPassing(kind))
  .map((kind) => `'${kind}'`)
  .join(', ');

const listed = (texts: readonly string[]): string => texts.map((text) => `'${text}'`).join(', ');
const OF_KEYS = listed(LABEL_KINDS.filter((kind) => mayInherit({ kind })));
const EVM = listed(CHAINS.filter(({ family }) => family === 'evm').map(({ name }) => name));

/** On which chains the labelled addresses are contracts: the rules of `holdingOn` and of `readContractsSeen`. */
const contracts = (database: string, where: string): string => {
  const ofKind = (kinds: string): string => `
    SELECT toString(chain), address FROM ${database}.control_entries
    WHERE role = 'subject' AND kind IN (${kinds}) AND chain IN (${EVM}) AND ${visible(database)}
      AND address IN (SELECT address FROM ${database}.labels WHERE chain IN (${EVM}) AND kind IN (${OF_KEYS}) AND ${where})`;
  return `(
    SELECT toString(chain), address FROM ${database}.labels FINAL WHERE kind NOT IN (${OF_KEYS}) AND ${where}
    UNION ALL SELECT * FROM (${ofKind(`'contract_created', 'calls'`)}) EXCEPT (${ofKind(`'code_delegated', 'account_acted'`)})
  )`;
};

/** What is said of each address on a chain: its own labels, and those that another EVM chain's labels say of the same key. */
const holding = (database: string, where: string): string => `(
  SELECT * REPLACE (on AS chain), if(on = own, '', concat(own, ':', if(inherited_from = '', address, inherited_from))) AS origin
  FROM
  (
    SELECT *, toString(chain) AS own, if(own IN (${EVM}) AND kind IN (${OF_KEYS}), [${EVM}], [own]) AS chains
    FROM ${database}.labels FINAL WHERE ${where}
  )
  ARRAY JOIN chains AS on
  WHERE on = own OR ((on, address) NOT IN ${contracts(database, where)} AND (own, address) NOT IN ${contracts(database, where)})
)`;

/** The label of each address that is shown now: the rules of `chooseLabel`. `where` may ask for addresses. */
export const shownLabels = (database: string, where = 'true'): string => `
WITH toInt64(toUnixTimestamp(now())) AS at
SELECT chain, address, shown.name AS name, shown.kind AS kind,
  if(has([${PASSING}], kind) OR empty(passing), NULL, passing[1].kind) AS also, shown.entity AS entity,
  shown.category AS category, shown.source AS source, shown.confidence AS confidence,
  if(shown.valid_from = 0, NULL, toDateTime(shown.valid_from, 'UTC')) AS valid_from,
  if(shown.valid_to = 0, NULL, toDateTime(shown.valid_to, 'UTC')) AS valid_to, shown.evidence AS evidence,
  nullIf(shown.origin, '') AS inherited_from,
  arraySort(label -> (multiIf(label.kind = 'sanctioned', 0, label.kind = 'hack', 1, 2), -label.confidence, -label.asserted_at,
    label.name, label.source, label.kind), holding) AS sorted,
  sorted[1] AS shown, arrayFilter(label -> has([${PASSING}], label.kind), sorted) AS passing
FROM
(
  SELECT chain, address, groupArray(CAST(
    (kind, name, source, confidence, valid_from, valid_to, asserted_at, entity, category, evidence, origin, lifting, designating),
    'Tuple(kind String, name String, source String, confidence Float64, valid_from Int64, valid_to Int64, asserted_at Int64,
      entity String, category String, evidence String, origin String, lifting Array(String), designating Array(String))')) AS said,
    arrayFilter(label -> label.kind = 'sanctioned' AND label.valid_to != 0 AND label.valid_to <= at, said) AS liftings,
    arrayFilter(label -> label.valid_from <= at AND (label.valid_to = 0 OR at < label.valid_to)
      AND NOT (label.kind = 'sanctioned' AND notEmpty(arrayFlatten(arrayMap(
        other -> if(label.valid_from < other.valid_to, other.lifting, []), liftings)))
        AND arrayAll(authority -> has(arrayFlatten(arrayMap(
          other -> if(label.valid_from < other.valid_to, other.lifting, []), liftings)), authority), label.designating)),
      said) AS holding
  FROM
  (
    SELECT toString(chain) AS chain, address, kind, name, source, confidence, valid_from, valid_to, asserted_at, entity, category,
      evidence, origin,
      ${authorities(database, `hasAny(a.2, [${TEXTS.speaking.join(', ')}])`)} AS speaking,
      ${authorities(
        database,
        `arrayExists(alias -> arrayExists(text -> position(text, concat(' ', alias, ' ')) > 0,
        [${TEXTS.named.map((text) => `concat(' ', ${text}, ' ')`).join(', ')}]), a.2)`,
      )} AS named,
      if(source = '${CURATED_SOURCE}', named, speaking) AS lifting,
      if(notEmpty(speaking), speaking, named) AS designating
    FROM ${holding(database, where)}
  )
  GROUP BY chain, address
)
WHERE notEmpty(holding)`;

export const LABELS: AnalystView = {
  name: 'labels',
  comment: 'The label of each address that answers show now, of all that sources say. Key: chain, address.',
  columns: [
    ...[CHAIN, ADDRESS],
    ['name', 'String', 'as answers show it'],
    ['kind', 'LowCardinality(String)', LABEL_KINDS.join(', ')],
    [
      'also',
      'Nullable(String)',
      'what else it is where a sanction or a theft hides it: exchange, bridge, mixer, dex, contract',
    ],
    ['entity', 'String', 'the same for all addresses of one party; empty where not known'],
    ['category', 'String', 'the source’s own word; empty where it has none'],
    ['source', 'String', 'the list it comes from'],
    ['confidence', 'Float64', '0 to 1'],
    ['valid_from', "Nullable(DateTime('UTC'))", 'null: it has always been so'],
    ['valid_to', "Nullable(DateTime('UTC'))", 'when it ends; null while no end is known'],
    ['evidence', 'String', 'where it can be checked'],
    [
      'inherited_from',
      'Nullable(String)',
      'another chain where it is said of the same key, as chain:address; null: said of this chain. A contract inherits none, where code was seen in indexed blocks',
    ],
    shownColumn('address'),
  ],
  query: (database) => `
SELECT chain, address, name, kind, also, entity, category, source, confidence, valid_from, valid_to, evidence, inherited_from,
  ${showAddress('address')} AS address_shown
FROM (${shownLabels(database)})`,
};

export const SERVICES: AnalystView = {
  name: 'services',
  comment: 'Addresses of exchanges and mixers, deposit addresses included. Key: chain, address.',
  columns: [
    ...[CHAIN, ADDRESS],
    ['entity', 'LowCardinality(String)', 'the service'],
    ['kind', 'LowCardinality(String)', 'exchange or mixer'],
    shownColumn('address'),
  ],
  query: (database) => `
SELECT chain, address, entity, kind, ${showAddress('address')} AS address_shown FROM ${database}.service_wallets FINAL`,
};

export const DEPOSIT_ADDRESSES: AnalystView = {
  name: 'deposit_addresses',
  comment: 'Addresses that an exchange gave to one customer, told by how they sweep. Key: chain, address.',
  columns: [
    ...[CHAIN, ADDRESS],
    ['entity', 'LowCardinality(String)', 'the exchange'],
    ['confidence', 'Float64', '0 to 1'],
    ['sweeps', 'UInt32', 'payments to hot wallets of the exchange that took everything, in time'],
    ['senders', 'UInt32', 'different payers, hot wallets left out'],
    ['forwarded_share', 'Float64', 'of what it got in the assets that are swept, 0 to 1'],
    ['sponsored_share', 'Float64', 'sweeps whose fee somebody else paid, 0 to 1'],
    ['collector', 'String', `the hot wallet of the last sweep: ${KEY_FORM}`],
    ['first_sweep', "DateTime('UTC')", 'time of the first sweep'],
    ['last_sweep', "DateTime('UTC')", 'time of the last sweep'],
    MISSING_BEFORE,
    shownColumn('address'),
  ],
  query: (database) => `
SELECT chain, address, entity, confidence, sweeps, senders, forwarded_share, sponsored_share, collector, first_sweep, last_sweep,${missingBefore(database, 'chain')},
  ${showAddress('address')} AS address_shown
FROM ${database}.deposit_addresses FINAL WHERE holds`,
};
