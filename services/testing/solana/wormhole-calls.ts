import { SOLANA_TOKEN_BRIDGE } from '../../ingest/bridges/wormhole-claim.ts';
import { join, type TestInstruction, u32, u64, wordOf } from './build-transaction.ts';

/** Calls of Wormhole's token bridge, as its program reads them. */

/** Who holds the tokens of Solana that are elsewhere. */
export const CUSTODY = 'GugU1tP7doLeTw9hQP51xRJyS8Da1fWxuiy2rVrnMD2m';

type Deposit = {
  /** Which instruction it is: one that keeps the tokens, where not given. */
  readonly tag?: number;
  readonly amount: bigint;
  readonly recipient: string;
  /** Ethereum's number, where not given. */
  readonly far?: number;
};

/** Takes from the account `alice tokens`. */
export const depositInto = (
  { tag = 5, amount, recipient, far = 2 }: Deposit,
  ...calls: TestInstruction[]
): TestInstruction => ({
  program: SOLANA_TOKEN_BRIDGE,
  accounts: ['alice', 'config', 'alice tokens', ...calls.flatMap(({ accounts }) => accounts)],
  // Plain transfers name a fee.
  data: join(
    ...[[tag], u32(0), u64(amount), ...(tag < 6 ? [u64(0n)] : [])],
    ...[wordOf(recipient), u32(far).subarray(0, 2)],
  ),
  calls,
});

/** Fills the account `bob tokens`, which is who redeems' too. */
export const redeemFrom = (tag: number, claim: string, ...calls: TestInstruction[]): TestInstruction => ({
  program: SOLANA_TOKEN_BRIDGE,
  accounts: [
    'alice',
    'config',
    'vaa',
    claim,
    'endpoint',
    'bob tokens',
    'bob tokens',
    ...calls.flatMap(({ accounts }) => accounts),
  ],
  data: Uint8Array.of(tag),
  calls,
});
