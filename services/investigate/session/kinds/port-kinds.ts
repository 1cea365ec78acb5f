import type { Asking, Query } from '../../model/query.ts';
import { createReadSession, type ReadSession, type SessionOptions } from '../create-read-session.ts';
import type { Kind, Reads } from '../kind.ts';
import { type Count, openReads } from '../open-reads.ts';
import { kindOf } from './kinds-of.ts';
import { kind } from './make-kind.ts';

/** Ports some of whose methods still take whole requests. */
export type Ports = Readonly<Record<string, object>>;

type AskingAll<Of extends Ports> = { readonly [Name in keyof Of]: Asking<Of[Name]> };

type Method = (...asked: readonly unknown[]) => Promise<unknown>;
type PortKinds = Readonly<Record<string, Kind<object, object, unknown>>>;

/** What a list of whole requests has in common; each is a key, and a query of its own. */
const REQUESTS = { requests: true };

const portKinds = (ports: Ports, count: Count): PortKinds =>
  Object.fromEntries(
    Object.entries(ports).flatMap(([name, port]) => {
      const counted = count(port) as Record<string, Method>;
      return Object.keys(port).flatMap((method) => {
        return [
          [`${name}.${method}`, requestKind(counted, method)] as const,
          [`${name}.${method}[]`, kindOf(method, counted[method] as Query<object, object, unknown>)] as const,
        ];
      });
    }),
  );

const requestKind = (port: Readonly<Record<string, Method>>, method: string) =>
  kind<object, object, unknown>({
    query: (_, requests, limits) =>
      Promise.all(requests.map((request) => port[method]?.({ ...request, ...limits }))),
    keysMax: 1,
  });

/** The ports again, each of whose methods asks the session. */
const askPorts = <Of extends Ports>(ports: Of, reads: Reads<PortKinds>): AskingAll<Of> =>
  Object.fromEntries(
    Object.entries(ports).map(([name, port]) => [
      name,
      Object.fromEntries(
        Object.keys(port).map((method) => [
          method,
          async (asked: object, keys?: readonly object[]) =>
            keys === undefined
              ? (await reads[`${name}.${method}`]?.(REQUESTS, [asked]))?.[0]
              : reads[`${name}.${method}[]`]?.(asked, keys),
        ]),
      ),
    ]),
  ) as AskingAll<Of>;

export type PortReads<Of extends Ports> = AskingAll<Of> & {
  readonly leftMs: () => number;
  /** The same, with so long for one read instead. */
  readonly within: (readMs: number) => AskingAll<Of>;
  readonly session: ReadSession<PortKinds>;
};

/** A session of its own over these ports. */
export const openPorts = <Of extends Ports>(ports: Of, options: SessionOptions): PortReads<Of> => {
  const session = createReadSession(
    openReads((count) => portKinds(ports, count)),
    options,
  );
  return {
    ...askPorts(ports, session.reads),
    ...{ session, leftMs: session.leftMs },
    within: (readMs) => askPorts(ports, session.within(readMs)),
  };
};
