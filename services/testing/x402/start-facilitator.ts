import { createServer, request as sendRequest } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { endWithTest, startProgram } from '../run-program.ts';

type Network = `${string}:${string}`;

export type FacilitatorSetup = {
  readonly evm: {
    readonly network: Network;
    readonly rpcUrl: string;
    readonly key: `0x${string}`;
    /** Factories that it calls to deploy a wallet that pays. */
    readonly factories?: readonly string[];
  } | null;
  /** The key is base64 of 64 bytes. */
  readonly solana: { readonly network: Network; readonly rpcUrl: string; readonly key: string } | null;
};

type Path = '/verify' | '/settle' | '/supported';

/**
 * What the way to a facilitator does to a call: `answer_lost` lets it arrive and cuts the line before the answer,
 * `silent` lets it arrive and answers nothing until the next trouble, or none, is told; then the line is cut. `lies` lets nothing
 * arrive and says that it was settled.
 */
export type Trouble = 'none' | 'down' | 'answer_lost' | 'silent' | 'lies';

export type Facilitator = {
  readonly url: string;
  /** How often each path was asked for. */
  readonly asked: Record<Path, number>;
  /** From now on, for calls of this path. */
  trouble(path: Path, trouble: Trouble): void;
  stop(): Promise<void>;
};

/** The official facilitator in a process of its own, behind a line that a test can cut. Ends with the test, if there is one. */
export const startFacilitator = async (setup: FacilitatorSetup): Promise<Facilitator> => {
  const program = startProgram([process.execPath, 'services/testing/x402/facilitator-process.ts'], [], {
    FACILITATOR_SETUP: JSON.stringify(setup),
  });
  const [, port] = await program.printed(/^listening (\d+)$/m);
  const troubles = new Map<string, Trouble>();
  const silent = new Set<Socket>();
  const asked = { '/verify': 0, '/settle': 0, '/supported': 0 };
  const line = createServer((incoming, outgoing) => {
    const path = incoming.url as Path;
    const trouble = troubles.get(path) ?? 'none';
    asked[path] += 1;
    if (trouble === 'down') {
      incoming.socket.destroy();
      return;
    }
    if (trouble === 'lies') {
      outgoing.setHeader('content-type', 'application/json');
      outgoing.end(
        JSON.stringify({ success: true, transaction: `0x${'ab'.repeat(32)}`, network: 'eip155:8453' }),
      );
      return;
    }
    const { method, headers } = incoming;
    const onward = sendRequest({ host: '127.0.0.1', port, path, method, headers }, (answer) => {
      if (trouble !== 'none') {
        answer.resume().once('end', () => {
          const isSilent = trouble === 'silent' && troubles.get(path) === 'silent';
          if (isSilent) silent.add(incoming.socket);
          else incoming.socket.destroy();
        });
        return;
      }
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    onward.once('error', () => incoming.socket.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => line.listen(0, '127.0.0.1', resolve));
  const stop = async (): Promise<void> => {
    program.process.kill('SIGKILL');
    await program.ended;
    line.closeAllConnections();
    await new Promise<void>((resolve) => line.close(() => resolve()));
  };
  endWithTest(stop);
  return {
    url: `http://127.0.0.1:${(line.address() as AddressInfo).port}`,
    asked,
    stop,
    trouble: (path, trouble) => {
      troubles.set(path, trouble);
      for (const socket of silent) socket.destroy();
      silent.clear();
    },
  };
};
