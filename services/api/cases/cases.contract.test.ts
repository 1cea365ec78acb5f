import { describe, expect, onTestFinished, test } from 'vitest';
import { Directory } from '../../accounts/directory.ts';
import type { ViewEvent } from '../../console/app/flow/view-events.ts';
import { readCase } from '../../evidence/case-file.ts';
import { chooseKey } from '../../evidence/choose-key.ts';
import { verifyCase } from '../../evidence/verify-case.ts';
import type { Flow } from '../../sdk/create-spoor.ts';
import { madeFlow } from '../../testing/console/made-flow.ts';
import { openCases } from '../../testing/console/open-cases.ts';
import { startTheftApi } from '../../testing/console/theft-api.ts';
import { THIEF } from '../../testing/console/theft-story.ts';
import { issueKey } from '../../testing/issue-key.ts';
import { createMemoryLedger } from '../../testing/memory/memory-ledger.ts';
import { startApi } from '../../testing/start-api.ts';
import { stepField } from './schema.ts';

const FLOW = madeFlow([{ from: 'a', to: 'b', raw: 9n }]);
const FIRST: ViewEvent = { type: 'answered', flow: FLOW, from: null };
const MADE = { name: 'My case', step: FIRST };

type Headers = Readonly<Record<string, string>>;

const open = async (hasAccounts = false) => {
  const clock = { nowUnixMs: () => 1_700_000_000_000 };
  const directory = new Directory();
  const keyOf = (accountId: string): Headers => ({
    authorization: `Bearer ${issueKey(directory, { accountId, keyId: accountId })}`,
  });
  const billing = { ledger: createMemoryLedger(clock), directory, isOpen: () => !hasAccounts };
  const api = await startApi({ billing, clock, caseDesk: await openCases() });
  onTestFinished(() => api.close({ graceMs: 0 }));
  const ask = async (method: string, path: string, body?: unknown, headers: Headers = {}) => {
    const response = await fetch(api.url + path, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? null : JSON.parse(text) };
  };
  return { ask, keyOf, url: api.url };
};

test('a case is made, changed, undone, named, listed and deleted', async () => {
  const { ask } = await open();
  const made = await ask('POST', '/console/cases', MADE);
  expect(made).toMatchObject({ status: 201, body: { name: 'My case', version: 1, steps: 1 } });
  const path = `/console/cases/${made.body.id}`;
  const note: ViewEvent = { type: 'noted', card: 'solana b native', note: 'mine' };
  expect(await ask('POST', `${path}/steps`, { version: 1, step: note })).toMatchObject({
    body: { version: 2 },
  });
  expect(await ask('POST', `${path}/undo`, { version: 2 })).toMatchObject({ body: { version: 3, steps: 1 } });
  await ask('POST', `${path}/name`, { name: 'Other' });
  expect(await ask('GET', path)).toMatchObject({
    status: 200,
    body: { name: 'Other', version: 3, done: [FIRST], undone: [note], is_shared: false },
  });
  expect((await ask('GET', '/console/cases')).body.cases).toMatchObject([
    { id: made.body.id, name: 'Other' },
  ]);
  expect(await ask('DELETE', path)).toEqual({ status: 204, body: null });
  expect((await ask('GET', path)).status).toBe(404);
  expect((await ask('GET', '/console/cases')).body.cases).toEqual([]);
});

test('a change to an old version is refused and changes nothing', async () => {
  const { ask } = await open();
  const path = `/console/cases/${(await ask('POST', '/console/cases', MADE)).body.id}`;
  const step: ViewEvent = { type: 'hid', card: 'x' };
  await ask('POST', `${path}/steps`, { version: 1, step });
  expect(await ask('POST', `${path}/steps`, { version: 1, step })).toMatchObject({
    status: 409,
    body: { code: 'case_changed' },
  });
  expect((await ask('GET', path)).body.done).toHaveLength(2);
});

test('an account sees its own cases and nobody else does, unless by the link, which only reads', async () => {
  const { ask, keyOf } = await open(true);
  const [ann, bea] = [keyOf('ann'), keyOf('bea')];
  expect((await ask('POST', '/console/cases', MADE)).status).toBe(401);
  const path = `/console/cases/${(await ask('POST', '/console/cases', MADE, ann)).body.id}`;
  for (const headers of [{}, bea]) {
    const refused = headers === bea ? 404 : 401;
    expect((await ask('GET', path, undefined, headers)).status).toBe(refused);
    expect((await ask('POST', `${path}/undo`, { version: 1 }, headers)).status).toBe(refused);
    expect((await ask('POST', `${path}/link`, undefined, headers)).status).toBe(refused);
    expect((await ask('DELETE', path, undefined, headers)).status).toBe(refused);
  }
  expect((await ask('GET', '/console/cases', undefined, bea)).body.cases).toEqual([]);
  const step: ViewEvent = { type: 'hid', card: 'x' };
  await ask('POST', `${path}/steps`, { version: 1, step }, ann);
  expect((await ask('POST', `${path}/undo`, { version: 2 }, ann)).status).toBe(200);
  expect((await ask('GET', path, undefined, ann)).body.undone).toEqual([step]);
  const { link } = (await ask('POST', `${path}/link`, undefined, ann)).body;
  // What its owner took back is not shown.
  const shared = await ask('POST', '/console/shared', { link });
  expect(shared).toMatchObject({ status: 200, body: { name: 'My case', done: [FIRST], undone: [] } });
  // Nothing by which it could be changed.
  expect(Object.keys(shared.body).sort()).toEqual(['changed_at', 'done', 'name', 'undone']);
  expect((await ask('DELETE', `${path}/link`, undefined, ann)).status).toBe(204);
  expect((await ask('POST', '/console/shared', { link })).status).toBe(404);
});

test('pages of other sites are refused', async () => {
  const { ask, url } = await open();
  for (const headers of [
    { origin: 'https://evil.example' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'null' },
  ]) {
    expect((await ask('GET', '/console/cases', undefined, headers)).body.code).toBe('cross_site');
    expect((await ask('POST', '/console/cases', MADE, headers)).body.code).toBe('cross_site');
    expect((await ask('POST', '/console/shared', { link: 'x' }, headers)).body.code).toBe('cross_site');
  }
  expect((await ask('GET', '/console/cases', undefined, { origin: url })).status).toBe(200);
});

test('what is no step of a case is refused with the field named', async () => {
  const { ask } = await open();
  const flow = {
    ...FLOW,
    meta: { ...FLOW.meta, explorer: { ...FLOW.meta.explorer, address: 'javascript:alert(1)' } },
  };
  for (const [step, path] of [
    [{ type: 'nonsense' }, 'step.type'],
    [{ type: 'answered', flow: {}, from: null }, 'step.flow.chain'],
    [{ type: 'noted', card: 'x', note: 'y'.repeat(501) }, 'step.note'],
    [{ type: 'coloured', card: 'x', colour: 'url(x)' }, 'step.colour'],
    [{ type: 'answered', flow, from: null }, 'step.flow.meta.explorer'],
  ] as const) {
    const { status, body } = await ask('POST', '/console/cases', { name: 'x', step });
    expect([status, body.fields[0].path]).toEqual([400, path]);
  }
});

test('every step that the page takes is one that is kept', () => {
  const filters = {
    minUsd: 1,
    minProbability: 0.5,
    hiddenKinds: ['x'],
    hiddenAssets: [],
    untilUnixSeconds: 5,
  };
  const steps: { readonly [Type in ViewEvent['type']]: Extract<ViewEvent, { type: Type }> } = {
    answered: { type: 'answered', flow: FLOW, from: 'solana a native' },
    opened: { type: 'opened', payer: 'a' },
    hid: { type: 'hid', card: 'a' },
    filtered: { type: 'filtered', filters },
    viewed: { type: 'viewed', as: 'transactions' },
    noted: { type: 'noted', card: 'a', note: '' },
    coloured: { type: 'coloured', card: 'a', colour: null },
  };
  for (const step of Object.values(steps)) expect(stepField.parse(step)).toEqual(step);
});

describe('the signed file of a case', () => {
  const asked = { chain: 'ethereum', address: THIEF, asset: 'native', graph: true };
  const verified = async (url: string, zip: Uint8Array) => {
    const found = readCase(zip);
    const published = await (await fetch(`${url}/.well-known/spoor-keys.json`)).text();
    return { ...verifyCase(found, chooseKey(published, found.envelope)), files: found.files };
  };
  const openTheft = async () => {
    const api = await startTheftApi();
    const flow = await (await api.post('/follow', asked)).json();
    const keep = async (step: object): Promise<string> => {
      const made = await api.post('/console/cases', { name: 'Theft', step });
      return `/console/cases/${((await made.json()) as { id: string }).id}`;
    };
    const exported = (path: string) => fetch(`${api.url}${path}/export`, { method: 'POST' });
    return { api, flow, keep, exported };
  };

  test('holds its answers and every movement that they cite, and anybody can check it', async () => {
    const { api, flow, keep, exported } = await openTheft();
    const path = await keep({ type: 'answered', flow, from: null });
    const response = await exported(path);
    expect(response.headers.get('content-type')).toBe('application/zip');
    const checked = await verified(api.url, await response.bytes());
    expect(checked.findings.filter(({ problem }) => problem !== null)).toEqual([]);
    expect(checked.statement?.predicate.without_evidence).toEqual([]);
    expect(JSON.parse(checked.files.get('answer.json') ?? '')).toEqual({ answers: [flow] });
    const cited = (flow as Flow).edges.flatMap((edge) => edge.transactions.map(({ signature }) => signature));
    expect(cited.length).toBeGreaterThan(3);
    const proved = new Set(checked.rows.map(({ transaction }) => transaction));
    expect(cited.filter((hash) => !proved.has(hash))).toEqual([]);
  });

  test('is refused where an answer was changed by a digit, though a step says that it was computed', async () => {
    const { api, flow, keep, exported } = await openTheft();
    const changed = { ...(flow as Flow), starts: ['0x0'] };
    const refused = await exported(await keep({ type: 'answered', flow: changed, from: null }));
    expect(refused.status).toBe(409);
    expect(await refused.json()).toMatchObject({ code: 'not_computed_here' });
    const step = { type: 'answered', flow: changed, from: null, computed: true };
    expect((await api.post('/console/cases', { name: 'Theft', step })).status).toBe(400);
  });

  test('is made for nobody else, and not where nothing is signed', async () => {
    const { exported } = await openTheft();
    expect((await exported('/console/cases/other')).status).toBe(404);
    const { ask } = await open();
    const path = `/console/cases/${(await ask('POST', '/console/cases', MADE)).body.id}`;
    expect((await ask('POST', `${path}/export`)).status).toBe(503);
  });
});
