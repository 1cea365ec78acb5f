import type { ViewEvent } from '../flow/view-events.ts';
import { shorten } from '../shared/format.ts';
import { fetchFile, send } from '../shared/send.ts';

/** A case as lists show it. */
export type CaseLine = {
  readonly id: string;
  readonly name: string;
  readonly made_at: number;
  readonly changed_at: number;
  /** Changes name the version that they were made to. */
  readonly version: number;
  readonly steps: number;
  readonly is_shared: boolean;
};

type Steps = { readonly done: readonly ViewEvent[]; readonly undone: readonly ViewEvent[] };
export type OpenedCase = CaseLine & Steps;
/** What a link shows: nothing by which the case could be changed. */
export type SharedCase = Pick<CaseLine, 'name' | 'changed_at'> & Steps;

const pathOf = (id: string): string => `/console/cases/${encodeURIComponent(id)}`;

export const listCases = async (): Promise<readonly CaseLine[]> =>
  (await send<{ cases: readonly CaseLine[] }>('GET', '/console/cases')).cases;
export const makeCase = (name: string, step: ViewEvent): Promise<CaseLine> =>
  send('POST', '/console/cases', { name, step });
export const readCase = (id: string): Promise<OpenedCase> => send('GET', pathOf(id));
export const deleteCase = (id: string): Promise<void> => send('DELETE', pathOf(id));
export const renameCase = (id: string, name: string): Promise<CaseLine> =>
  send('POST', `${pathOf(id)}/name`, { name });
export const shareCase = async (id: string): Promise<string> =>
  (await send<{ link: string }>('POST', `${pathOf(id)}/link`)).link;
/** The signed file of its answers, a zip. */
export const exportCase = (id: string): Promise<Blob> => fetchFile(`${pathOf(id)}/export`);
export const revokeLink = (id: string): Promise<void> => send('DELETE', `${pathOf(id)}/link`);
export const readShared = (link: string): Promise<SharedCase> => send('POST', '/console/shared', { link });

/** What a reader does to the history of a case. */
export type Act = { readonly type: 'take'; readonly event: ViewEvent } | { readonly type: 'undo' | 'redo' };

export const saveAct = (id: string, version: number, act: Act): Promise<CaseLine> =>
  act.type === 'take'
    ? send('POST', `${pathOf(id)}/steps`, { version, step: act.event })
    : send('POST', `${pathOf(id)}/${act.type}`, { version });

/** The name of a case until its owner gives it another. */
export const nameOf = (chain: string, address: string): string => `Money of ${shorten(address)} on ${chain}`;
