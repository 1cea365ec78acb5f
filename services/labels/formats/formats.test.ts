import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { LABEL_FORMATS } from './formats.ts';
import { type FormatOptions, type LabelFile, LabelFileError, type ReadRow } from './label-format.ts';

const EVM = '0x28c6c06298d514db089934071355e5743bf21d60';
const SOLANA = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';

/** A list that is no file. */
const listOf = (text: string, options: FormatOptions, path: string): LabelFile => ({
  path,
  options,
  open: () => Readable.from(piecesOf(Buffer.from(text))),
  text: async () => text,
});

/** A byte at a time: no format may depend on how a file is cut. XML, whose reader sets a clock for each piece, by 5, which parts an é. */
function* piecesOf(bytes: Buffer): Generator<Buffer> {
  const size = bytes[0] === '<'.charCodeAt(0) ? 5 : 1;
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const readRows = async (name: string, text: string, options: FormatOptions = {}, path = 'list') => {
  const format = LABEL_FORMATS.find((known) => known.name === name);
  if (!format) throw new Error(`${name} is no format`);
  const rows: ReadRow[] = [];
  for await (const row of format.read(listOf(text, options, path))) rows.push(row);
  return rows;
};

const read = async (...list: Parameters<typeof readRows>) =>
  (await readRows(...list)).map((each) => ('row' in each ? each.row : each.refusal));

const SDN = `<?xml version="1.0" encoding="utf-8"?>
<Sanctions xmlns="http://www.un.org/sanctions/1.0">
  <ReferenceValueSets><FeatureTypeValues>
    <FeatureType ID="345">Digital Currency Address - ETH</FeatureType>
    <FeatureType ID="8">Birthdate</FeatureType>
  </FeatureTypeValues></ReferenceValueSets>
  <DistinctParties><DistinctParty FixedRef="39796"><Profile ID="39796">
    <Identity><Alias Primary="true"><DocumentedName>
      <DocumentedNamePart><NamePartValue>SEMENOV</NamePartValue></DocumentedNamePart>
      <DocumentedNamePart><NamePartValue>Jérôme</NamePartValue></DocumentedNamePart>
    </DocumentedName></Alias>
    <Alias Primary="false"><DocumentedName>
      <DocumentedNamePart><NamePartValue>ELSEWHERE</NamePartValue></DocumentedNamePart>
    </DocumentedName></Alias></Identity>
    <Feature FeatureTypeID="8"><FeatureVersion><VersionDetail>1987</VersionDetail></FeatureVersion></Feature>
    <Feature FeatureTypeID="345"><FeatureVersion><VersionDetail>${EVM}</VersionDetail></FeatureVersion></Feature>
  </Profile></DistinctParty></DistinctParties>
  <SanctionsEntries><SanctionsEntry ProfileID="39796">
    <EntryEvent><Date><Year>2023</Year><Month>8</Month><Day>23</Day></Date></EntryEvent>
    <EntryEvent><Date><Year>2025</Year><Month>3</Month><Day>21</Day></Date></EntryEvent>
  </SanctionsEntry></SanctionsEntries>
</Sanctions>`;

test("OFAC's list gives each address its holder's first name, the day of the first designation, and the last where there are more", async () => {
  expect(await read('ofac', SDN)).toEqual([
    expect.objectContaining({
      chain: 'ETH',
      address: EVM,
      name: 'OFAC: SEMENOV Jérôme',
      kind: 'sanctioned',
      validFrom: Date.UTC(2023, 7, 23) / 1_000,
    }),
  ]);
  expect(await readRows('ofac', SDN)).toMatchObject([
    { further: [{ name: 'OFAC: SEMENOV Jérôme', validFrom: Date.UTC(2025, 2, 21) / 1_000 }] },
  ]);
});

test('results of queries on Dune name exchanges by the wallet and others by their category', async () => {
  const rows = 'blockchain,address,name,category,contributor,updated_at';
  expect(
    await read('dune', `${rows}\nbnb,${EVM},Alder,bridge,somebody,2024-01-02 03:04:05.000 UTC\n`),
  ).toEqual([
    expect.objectContaining({
      ...{ chain: 'bnb', name: 'Alder', categories: ['bridge'], creator: 'somebody' },
      assertedAt: Date.UTC(2024, 0, 2, 3, 4, 5) / 1_000,
    }),
  ]);
  const wallets = `blockchain,address,cex_name,distinct_name,added_by\nsolana,${SOLANA},Alder,Alder 3,somebody\n`;
  expect(await read('dune', wallets)).toEqual([
    expect.objectContaining({ address: SOLANA, name: 'Alder 3', categories: ['cex'] }),
  ]);
});

test('a plain list is read by its columns, by other words for them, and by what the command line says', async () => {
  const columns = 'source,kind,name,chain,address';
  expect(await read('csv', `${columns}\nme,Mixer,"Alder, Inc.",base,${EVM}\n`)).toEqual([
    expect.objectContaining({
      source: 'me',
      kind: 'mixer',
      name: 'Alder, Inc.',
      chain: 'base',
      address: EVM,
    }),
  ]);
  const options = { chain: 'base', kind: 'exchange', columns: { name: 'Who' } } as const;
  expect(await read('csv', `Wallet,Who\n${EVM},Alder\n`, options, '/lists/mine.csv.gz')).toEqual([
    expect.objectContaining({ source: 'mine', kind: 'exchange', name: 'Alder', chain: 'base', address: EVM }),
  ]);
  const words = `address,labels\n${SOLANA},CHAIN_SOLANA|CEX_ALDER|explorer: Alder 2\n`;
  expect(await read('csv', words)).toEqual([expect.objectContaining({ name: 'Alder 2', chain: '' })]);
});

test('a row with other cells than its header is refused: its name may reach into its kind', async () => {
  const text = `address,chain,name,kind,source
${EVM},base,Dogwood, mixer,contract,me
${EVM},base,Alder,exchange,me
${EVM},base,Elm`;
  expect(await read('csv', text)).toEqual([
    expect.objectContaining({ where: 'line 2', code: 'unreadable' }),
    expect.objectContaining({ name: 'Alder', kind: 'exchange', source: 'me' }),
    expect.objectContaining({ where: 'line 4', code: 'unreadable' }),
  ]);
});

test('the command line decides which column is ours, whatever else the file calls so', async () => {
  const options = { columns: { name: 'Reason', address: 'mint' } };
  const text = `Name,Reason,wallet,mint\nSymbol,Alder,nobody,${SOLANA}\n`;
  expect(await read('csv', text, options)).toEqual([
    expect.objectContaining({ name: 'Alder', address: SOLANA }),
  ]);
  const reversed = `Reason,Name,mint,wallet\nAlder,Symbol,${SOLANA},nobody\n`;
  expect(await read('csv', reversed, options)).toEqual([
    expect.objectContaining({ name: 'Alder', address: SOLANA }),
  ]);
});

test('words that every object of the language knows are words like any other', async () => {
  const columns = 'address,chain,name,constructor,toString,__proto__';
  expect(await read('csv', `${columns}\n${EVM},ethereum,Alder,a,b,c\n`)).toEqual([
    expect.objectContaining({ address: EVM, chain: 'ethereum', name: 'Alder' }),
  ]);
  const tag = `address: "${EVM}"\n  network: ETH\n  label: Alder\n  confidence: constructor`;
  expect(await read('graphsense', `title: Pack\ntags:\n- ${tag}\n`)).toEqual([
    expect.objectContaining({ name: 'Alder', confidence: 0.5 }),
  ]);
  const names = '<__defineGetter__>x</__defineGetter__><constructor>x</constructor>';
  const list = SDN.replace('<Year>', `${names}<Year>`).replace('<Identity>', `<Identity>${names}`);
  expect(await read('ofac', list)).toEqual(await read('ofac', SDN));
});

test('a row of a list of contracts speaks of its maker, too, and is still one row', async () => {
  const text = `contract_address,contract_tag,contract_creator,notes\n${EVM},Trap,${EVM.replace('0x2', '0x3')},phishing\n`;
  const [row] = await read('forta', text, {}, '/lists/10/contracts.csv');
  expect(row).toMatchObject({ chain: '10', address: EVM, name: 'Trap', kind: 'hack' });
  expect(await read('forta', text, {}, '/lists/10/contracts.csv')).toHaveLength(1);
});

test.for([
  ['csv', 'name\nAlder\n', 'has no column address; it has name'],
  ['csv', 'wallet,mint,label\na,b,Alder\n', 'two columns that mean address, wallet and mint'],
  ['csv', 'address,chain,chain\na,b,c\n', 'two columns that mean chain, chain and chain'],
  ['csv', '\n', 'is empty'],
  ['forta', '', 'is empty'],
  ['csv', '\u001b[2J\u0000\nAlder\n', 'it has ?[2J?'],
  ['etherscan', '["no", "dump"]', 'is neither'],
  ['etherscan', '{"half', 'is not JSON'],
  ['graphsense', 'title: Pack\n', 'is not a TagPack: it has neither tags nor actors'],
  ['graphsense', 'tags: []\n', 'is not a TagPack: title: '],
  ['graphsense', `title: Pack\ntags: ${'['.repeat(20_000)}`, 'is not a TagPack: '],
  ['graphsense', 'title: Pack\ntags: []\ntitle: Other\n', 'is not a TagPack: Map keys must be unique'],
  ['graphsense', 'title: Pack\ntags: [{label: a, label: b}]\n', 'is not a TagPack: Map keys must be unique'],
  ['ofac', '<a>'.repeat(200), 'nests more than 100 elements'],
  ['ofac', SDN.slice(0, 900), 'ends in the middle'],
  ['ofac', '<html><body>Moved</body></html>', 'is not a list in the advanced format'],
  ['ofac', SDN.replace('2023', 'MMXXIII'), 'dates a designation of profile 39796 with MMXXIII'],
  ['ofac-list', '[1, 2]', 'does not name its currency'],
  [
    'csv',
    `address,name\n${EVM},Alder\n${EVM},"Birch\n${EVM},Cedar\n`,
    'a quote that is never closed behind row 1',
  ],
] as const)('%s refuses as a whole what is not of the format: %s', async ([format, text, reason]) => {
  await expect(read(format, text)).rejects.toThrow(LabelFileError);
  await expect(read(format, text)).rejects.toThrow(reason);
});

const KEYS = Array.from({ length: 40_000 }, (_, at) => `k${at}: v`);
test.each([
  ['in its header', `title: Pack\n${KEYS.join('\n')}\ntags:\n- {address: '${EVM}', network: ETH}\n`, 1],
  ['in a tag', `title: Pack\ntags:\n- {address: '${EVM}', network: ETH, ${KEYS.join(', ')}}\n`, 1],
  [
    'in a header that 20,000 tags share',
    `title: Pack\n${KEYS.join('\n')}\ntags:\n${`- {address: '${EVM}', network: ETH}\n`.repeat(20_000)}`,
    20_000,
  ],
])('a TagPack with 40,000 keys %s takes no longer than its size', async (_, text, count) => {
  // Processor time: others may use this machine.
  const before = process.cpuUsage();
  expect(await read('graphsense', text)).toHaveLength(count);
  const { user } = process.cpuUsage(before);
  expect(user).toBeLessThan(6_000_000);
});
