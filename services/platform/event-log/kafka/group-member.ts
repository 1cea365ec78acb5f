import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ConsumeRequest,
  FencedError,
  GroupHeldError,
  LogClosedError,
  type LogError,
} from '../event-log.ts';
import type { Connection } from './connection.ts';
import type { Broker } from './kafka-client.ts';
import { CODES, hasCode, toLogError } from './kafka-error.ts';

const WAIT_MS = 30_000;
const RETRY_MS = 100;
const HEARTBEATS_A_LEASE = 3;
const LEAVE_MS = 2_000;
const NO_BYTES = Buffer.alloc(0);
// Only the brokers need it: the holder of a group reads all partitions, so there is nothing to assign.
const PROTOCOL = { name: 'spoor-first-come-holds', metadata: NO_BYTES };

/** The right to read and commit for a group, for as long as the broker knows this member as its leader. */
export type GroupMember = {
  isLost(): boolean;
  /** Checks with the brokers. Throws `FencedError` when another member took over. */
  prove(): Promise<void>;
  /** Throws `FencedError` when another member took over, and then nothing was committed. */
  commit(topics: CommittedTopics): Promise<void>;
  leave(): Promise<void>;
};

type CommittedTopics = Parameters<Broker['offsetCommit']>[0]['topics'];
type Membership = { readonly memberId: string; readonly generation: number };

type Options = {
  readonly groupId: string;
  /**
   * Used by this member only: joining waits at the broker, and so would all later requests on the connection.
   */
  readonly connection: Connection;
  readonly leaseMs: number;
  readonly onLost: () => void;
  readonly onError: (error: LogError) => void;
};

const isEvicted = (error: unknown): boolean => hasCode(error, CODES.unknownMember, CODES.illegalGeneration);

const createRequests = ({ groupId, connection, leaseMs }: Options) => {
  const ask = <T>(action: (coordinator: Broker) => Promise<T>, signal?: AbortSignal): Promise<T> =>
    connection.run(async (session) => action(await session.coordinator('group', groupId)), signal);

  const hasMembers = (signal?: AbortSignal): Promise<boolean> =>
    ask(async (coordinator) => {
      const { groups } = await coordinator.describeGroups({ groupIds: [groupId] });
      return (groups[0]?.members.length ?? 0) > 0;
    }, signal);

  const leave = ({ memberId }: Pick<Membership, 'memberId'>): Promise<unknown> =>
    ask((coordinator) => coordinator.leaveGroup({ groupId, memberId }));

  /**
   * The first member of an empty group leads it until it leaves or falls silent. Null when another one leads.
   */
  const join = async (memberId: string): Promise<Membership | null> => {
    const joined = await ask((coordinator) =>
      coordinator.joinGroup({
        groupId,
        memberId,
        sessionTimeout: leaseMs,
        rebalanceTimeout: leaseMs,
        groupProtocols: [PROTOCOL],
      }),
    );
    const { memberId: own, generationId: generation } = joined;
    if (joined.leaderId !== own) {
      await leave(joined).catch(() => {});
      return null;
    }
    const groupAssignment = [{ memberId: own, memberAssignment: NO_BYTES }];
    try {
      await ask((coordinator) =>
        coordinator.syncGroup({ groupId, memberId: own, generationId: generation, groupAssignment }),
      );
    } catch (error) {
      // Another member joined in between, so all members confirm again.
      if (hasCode(error, CODES.rebalanceInProgress)) return join(own);
      throw error;
    }
    return { memberId: own, generation };
  };

  return { ask, hasMembers, join, leave };
};

type Requests = ReturnType<typeof createRequests>;

const waitForGroup = async (request: ConsumeRequest, { hasMembers, join }: Requests): Promise<Membership> => {
  const { group, waitMs = WAIT_MS, signal } = request;
  const deadline = performance.now() + waitMs;
  for (;;) {
    signal?.throwIfAborted();
    // Joining while another member holds the group would force that one to join again.
    const membership = (await hasMembers(signal)) ? null : await joinOrNull(join);
    if (membership) return membership;
    const leftMs = deadline - performance.now();
    if (leftMs <= 0) throw new GroupHeldError(group);
    await sleep(Math.min(RETRY_MS, leftMs), undefined, signal ? { signal } : {}).catch(() => {});
  }
};

const joinOrNull = async (join: Requests['join'], memberId = ''): Promise<Membership | null> => {
  try {
    return await join(memberId);
  } catch (error) {
    if (isEvicted(error)) return null;
    throw error;
  }
};

/** Waits for the group and keeps it. Throws `GroupHeldError`, the signal's reason, or `LogError`. */
export const joinGroup = async (request: ConsumeRequest, options: Options): Promise<GroupMember> => {
  const { groupId, leaseMs, onLost, onError } = options;
  const requests = createRequests(options);
  let membership = await waitForGroup(request, requests);
  let isLost = false;
  let reclaiming: Promise<void> | null = null;

  const lose = (): never => {
    if (!isLost) {
      isLost = true;
      clearInterval(heartbeat);
      onLost();
    }
    throw new FencedError(request.group);
  };

  /**
   * Joins again after the broker forgot this member or asks all members to join. A member that slept keeps
   * the group only if no other had it meanwhile. A group's generation increases by one when it becomes empty
   * and by one when it is joined.
   */
  const rejoin = async (): Promise<void> => {
    const { memberId, generation } = membership;
    const again = await joinOrNull(requests.join, memberId);
    if (again) {
      membership = again;
      return;
    }
    if (await requests.hasMembers()) lose();
    const anew = await joinOrNull(requests.join);
    if (!anew) return lose();
    if (anew.generation !== generation + 2) {
      await requests.leave(anew).catch(() => {});
      lose();
    }
    membership = anew;
  };

  const reclaim = (): Promise<void> => {
    reclaiming ??= rejoin().finally(() => {
      reclaiming = null;
    });
    return reclaiming;
  };

  /** Runs an action as a member. When the broker does not accept it as one, reclaims the group first. */
  const asMember = async (
    action: (who: Membership & { coordinator: Broker }) => Promise<unknown>,
  ): Promise<void> => {
    for (;;) {
      if (isLost) lose();
      await reclaiming;
      try {
        await requests.ask((coordinator) => action({ ...membership, coordinator }));
        return;
      } catch (error) {
        if (!isEvicted(error) && !hasCode(error, CODES.rebalanceInProgress)) throw error;
      }
      await reclaim();
    }
  };

  const prove = (): Promise<void> =>
    asMember(({ coordinator, memberId, generation }) =>
      coordinator.heartbeat({ groupId, memberId, groupGenerationId: generation }),
    );
  let isBeating = false;
  const beat = async (): Promise<void> => {
    if (isBeating) return;
    isBeating = true;
    try {
      await prove();
    } catch (error) {
      if (!(error instanceof FencedError || error instanceof LogClosedError)) onError(toLogError(error));
    } finally {
      isBeating = false;
    }
  };
  const heartbeat = setInterval(() => void beat(), leaseMs / HEARTBEATS_A_LEASE).unref();

  return {
    isLost: () => isLost,
    prove,
    commit: async (topics) => {
      await asMember(({ coordinator, memberId, generation }) =>
        coordinator.offsetCommit({
          groupId,
          memberId,
          groupGenerationId: generation,
          retentionTime: -1,
          topics,
        }),
      ).catch((error: unknown) => {
        throw toLogError(error);
      });
    },
    leave: async () => {
      clearInterval(heartbeat);
      // Without an answer, the broker notices by itself when the lease ends.
      if (!isLost) await Promise.race([requests.leave(membership).catch(() => {}), sleep(LEAVE_MS)]);
    },
  };
};
