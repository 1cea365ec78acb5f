import { z } from 'zod';
import { accountOfWallet } from '../../accounts/account-of-wallet.ts';
import type { Accounts } from '../../accounts/accounts.ts';
import type { AskContractWallet } from '../../accounts/ask-contract-wallet.ts';
import type { Sessions, SignedInWallet } from '../../accounts/sessions.ts';
import type { Challenges, SigningWallet } from '../../accounts/sign-in-message.ts';
import { isSignedBy } from '../../accounts/verify-signature.ts';
import { guessChainFamily, parseAddress, presentAddress } from '../../investigate/model/address.ts';
import { CHAINS } from '../../investigate/model/chain.ts';
import type { Clock } from '../../platform/clock.ts';
import { createRateLimit } from '../../platform/rate-limit.ts';
import type { ApiMiddleware } from '../context.ts';
import { ADDRESS } from '../contract/fields.ts';
import { ApiError } from '../errors.ts';
import { validate } from '../validate.ts';
import { readSessionCookie, writeSessionCookie } from './session-cookie.ts';
import { createTurns } from './turns.ts';

/** The account area: the owner of a wallet signs in with it. */
export type AccountArea = {
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  readonly challenges: Challenges;
  /** The service's address as users see it. */
  readonly origin: URL;
  /** null: only wallets with a key of their own can sign in, because no node can be asked about others. */
  readonly askContractWallet: AskContractWallet | null;
};

const TEXT_MAX = 2_000;
/** A passkey wallet that is not deployed yet sends its factory, too. */
const SIGNATURE_MAX = 32_768;
const CONTRACT_SIGNATURE = /^0x(?:[0-9a-fA-F]{2})*$/;
/** Signatures of one address that a node is asked about. One that is good does not count. */
const ASKED = { burst: 5, everyMs: 10_000 };

const text = (what: string, description: string, max = TEXT_MAX) =>
  z
    .string({ error: `must be ${what}` })
    .max(max, `must be ${what}`)
    .meta({ description });

export const walletBody = z
  .strictObject({
    address: text('the address of a wallet', `The wallet that signs in. ${ADDRESS}`),
  })
  .transform(({ address }, ctx) => {
    const family = guessChainFamily(address);
    const chain = CHAINS.find((known) => known.family === family);
    const parsed = chain ? parseAddress(chain, address) : null;
    if (chain && parsed?.ok)
      return { family, address: presentAddress(chain, parsed.address) } satisfies SigningWallet;
    const message = parsed && !parsed.ok ? parsed.message : 'is not an address';
    ctx.addIssue({ code: 'custom', path: ['address'], message });
    return z.NEVER;
  });

export const signedBody = z.strictObject({
  message: text('the challenge, unchanged', '`message` of POST /account/challenge, unchanged.'),
  signature: text(
    "the wallet's signature of it",
    "The wallet's signature of the message: base58 of a Solana wallet, 0x hex of an EVM wallet (ERC-1271 and ERC-6492, too).",
    SIGNATURE_MAX,
  ),
});

/** POST /account/challenge: the message to sign. */
export const createChallengeHandler =
  ({ challenges, clock }: Pick<AccountArea, 'challenges'> & { clock: Clock }): ApiMiddleware =>
  async (ctx) => {
    const { message, expiresUnixMs } = challenges.issue(
      validate(walletBody, ctx.state.body),
      clock.nowUnixMs(),
    );
    ctx.body = { message, expires_at: Math.floor(expiresUnixMs / 1_000) };
  };

/** POST /account/session: signs in. It is free, so it opens no account: the first key or pack does. */
export const createSignInHandler = (area: AccountArea & { clock: Clock }): ApiMiddleware => {
  const { sessions, challenges, origin, clock, askContractWallet } = area;
  const inTurn = createTurns();
  const isSignedByContract = createContractCheck(area);
  return async (ctx) => {
    const { message, signature } = validate(signedBody, ctx.state.body);
    const challenge = challenges.read(message, clock.nowUnixMs());
    if (challenge === null) throw refused();
    const isSigned =
      (await isSignedBy(challenge, message, signature)) ||
      (await isSignedByContract(challenge, { message, signature }, ctx.state.from.name));
    if (!isSigned) throw refused(askContractWallet === null && challenge.family === 'evm' ? ONLY_KEYS : '');
    const accountId = accountOfWallet(challenge);
    const who = { accountId, address: challenge.address };
    const session = await inTurn(accountId, () => sessions.open(who, challenge));
    if (session.status === 'too_often')
      throw new ApiError('too_many_sessions', { headers: { 'Retry-After': '3600' } });
    if (session.status === 'challenge_used') throw refused();
    writeSessionCookie(ctx, origin, session.token);
    ctx.body = { account_id: accountId, expires_at: Math.floor(session.expiresUnixMs / 1_000) };
  };
};

type Signed = { readonly message: string; readonly signature: string };

/** Throws `ApiError`: `too_many_calls`, or `unavailable` if the node does not answer. */
const createContractCheck = ({ askContractWallet, clock }: AccountArea & { clock: Clock }) => {
  const asked = createRateLimit(ASKED, clock);
  return async (wallet: SigningWallet, { message, signature }: Signed, from: string): Promise<boolean> => {
    if (askContractWallet === null || wallet.family !== 'evm' || !CONTRACT_SIGNATURE.test(signature))
      return false;
    const seconds = asked.take(from);
    if (seconds > 0)
      throw new ApiError('too_many_calls', {
        sentence: 'Too many signatures from your address were refused. Please wait.',
        headers: { 'Retry-After': String(seconds) },
      });
    const isSigned = await askContractWallet(wallet.address, message, signature).catch((cause: unknown) => {
      throw new ApiError('unavailable', { cause });
    });
    if (isSigned) asked.giveBack(from);
    return isSigned;
  };
};

const ONLY_KEYS = ' Wallets that are contracts cannot sign in here: no node of their chain is configured.';

/** All reasons share one sentence, because the exact reason helps only an attacker. */
const refused = (hint = ''): ApiError =>
  new ApiError('unauthorized', {
    sentence: `The challenge is not ours, has expired or was used, or the wallet did not sign it. Ask for a new one.${hint}`,
  });

/** DELETE /account/session: signs out, on every server. */
export const createSignOutHandler =
  ({ sessions, origin }: AccountArea): ApiMiddleware =>
  async (ctx) => {
    await sessions.end(readSessionCookie(ctx, origin));
    writeSessionCookie(ctx, origin, null);
    ctx.status = 204;
  };

/** The owner of the session. Throws `ApiError` `unauthorized`. */
export const admitSession = (
  ctx: Parameters<ApiMiddleware>[0],
  { sessions, origin }: Pick<AccountArea, 'sessions' | 'origin'>,
): SignedInWallet => {
  const found = sessions.find(readSessionCookie(ctx, origin));
  if (found === null) throw new ApiError('unauthorized', { sentence: 'Sign in with your wallet first.' });
  return found;
};
