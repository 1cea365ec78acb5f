import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createKeyPairSignerFromBytes } from '@solana/kit';
import { x402Facilitator } from '@x402/core/facilitator';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { toFacilitatorEvmSigner } from '@x402/evm';
import { ExactEvmScheme } from '@x402/evm/exact/facilitator';
import { toFacilitatorSvmSigner } from '@x402/svm';
import { ExactSvmScheme } from '@x402/svm/exact/facilitator';
import { createWalletClient, http, nonceManager, publicActions } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { base } from 'viem/chains';
import type { FacilitatorSetup } from './start-facilitator.ts';

/** The official facilitator over HTTP, as somebody else would run it: a process of its own that knows nothing of ours. */
const open = async ({ evm, solana }: FacilitatorSetup): Promise<x402Facilitator> => {
  const facilitator = new x402Facilitator();
  if (evm !== null) {
    // Without the nonce manager two settlements at once take the same nonce, and one is lost.
    const account = privateKeyToAccount(evm.key, { nonceManager });
    const transport = http(evm.rpcUrl, { retryCount: 0 });
    const client = createWalletClient({ account, chain: base, transport, pollingInterval: 20 }).extend(
      publicActions,
    );
    const signer = toFacilitatorEvmSigner({
      address: account.address,
      // viem tells the types of these from a literal ABI; the facilitator's own are wider.
      readContract: (args) => client.readContract(args as never),
      verifyTypedData: (args) => client.verifyTypedData(args as never),
      writeContract: (args) => client.writeContract(args as never),
      sendTransaction: (args) => client.sendTransaction(args),
      waitForTransactionReceipt: (args) => client.waitForTransactionReceipt(args),
      getCode: (args) => client.getCode(args),
    });
    const eip6492AllowedFactories = [...(evm.factories ?? [])];
    facilitator.register(evm.network, new ExactEvmScheme(signer, { eip6492AllowedFactories }));
  }
  if (solana !== null) {
    const signer = await createKeyPairSignerFromBytes(Buffer.from(solana.key, 'base64'));
    const rpc = { defaultRpcUrl: solana.rpcUrl };
    facilitator.register(solana.network, new ExactSvmScheme(toFacilitatorSvmSigner(signer, rpc)));
  }
  return facilitator;
};

type Body = { paymentPayload: PaymentPayload; paymentRequirements: PaymentRequirements };

const readBody = async (request: IncomingMessage): Promise<Body> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as Body;
};

const facilitator = await open(JSON.parse(process.env.FACILITATOR_SETUP ?? '{}') as FacilitatorSetup);

const answer = async (request: IncomingMessage): Promise<unknown> => {
  if (request.url === '/supported') return facilitator.getSupported();
  const { paymentPayload, paymentRequirements } = await readBody(request);
  return request.url === '/verify'
    ? facilitator.verify(paymentPayload, paymentRequirements)
    : facilitator.settle(paymentPayload, paymentRequirements);
};

const server = createServer((request, response) => {
  response.setHeader('content-type', 'application/json');
  answer(request).then(
    (value) => response.end(JSON.stringify(value)),
    (error: unknown) => {
      response.statusCode = 500;
      response.end(JSON.stringify({ error: String(error) }));
    },
  );
});
server.listen(0, '127.0.0.1', () =>
  process.stdout.write(`listening ${(server.address() as AddressInfo).port}\n`),
);
