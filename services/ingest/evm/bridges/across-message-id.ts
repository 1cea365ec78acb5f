import type { Hex } from 'viem';
import { concat, keccak256, numberToHex, pad, size } from 'viem/utils';
import { nameEverywhere, toCanonicalAsset } from '../../../investigate/model/asset.ts';
import type { Chain } from '../../../investigate/model/chain.ts';
import { toChainAddress } from '../../bridges/bridge-numbers.ts';

type Numbered = {
  readonly originChainId: bigint;
  readonly destinationChainId: bigint;
  readonly depositId: bigint | number;
  readonly depositor: Hex;
  readonly recipient: Hex;
};

/** The fields that both sides of version 3 have. The pool pays each combination once. */
export type Relay = Numbered & {
  readonly inputToken: Hex;
  /** The null address stands for the input token's counterpart in Across's own list. */
  readonly outputToken: Hex;
  readonly inputAmount: bigint;
  readonly outputAmount: bigint;
  readonly exclusiveRelayer: Hex;
  readonly fillDeadline: number;
  readonly exclusivityDeadline: number;
  /** Of nothing: a word of zeros. */
  readonly messageHash: Hex;
};

/** The same for version 2, where each side names only its own chain's token. */
export type RelayV2 = Numbered & {
  readonly token: Hex;
  readonly amount: bigint;
  readonly relayerFeePct: bigint;
};

const NOTHING = pad('0x');

export const hashMessage = (message: Hex): Hex => (size(message) === 0 ? NOTHING : keccak256(message));

/**
 * The deposit pool counts relays, and the other side pays any relay it is given, so anybody can use a number. A
 * crossing's id is therefore that number together with what both sides tell.
 */
export const acrossMessageId = (relay: Relay, near: Chain | null, far: Chain | null): string =>
  toMessageId(relay, [
    pad(relay.inputToken),
    outputOf(relay, near, far),
    toWord(relay.inputAmount),
    toWord(relay.outputAmount),
    pad(relay.exclusiveRelayer),
    toWord(relay.fillDeadline),
    toWord(relay.exclusivityDeadline),
    relay.messageHash,
  ]);

/** `chain`: the telling side's. Unlisted tokens count as equal. */
export const acrossMessageIdV2 = (relay: RelayV2, chain: Chain | null): string => {
  const name = nameOf(chain, relay.token);
  return toMessageId(relay, [
    name === null ? NOTHING : hashMessage(`0x${Buffer.from(name).toString('hex')}`),
    toWord(relay.amount),
    numberToHex(relay.relayerFeePct, { size: 32, signed: true }),
  ]);
};

const toMessageId = (relay: Numbered, words: readonly Hex[]): string => {
  const parties = [pad(relay.depositor), pad(relay.recipient), toWord(relay.destinationChainId)];
  const digest = keccak256(concat([...parties, ...words])).slice(2);
  return `${relay.originChainId}:${relay.depositId}:${digest}`;
};

const toWord = (value: bigint | number): Hex => numberToHex(value, { size: 32 });

/** A deposit may leave the input's counterpart to the other side. So it is left out on both sides. */
const outputOf = ({ inputToken, outputToken }: Relay, near: Chain | null, far: Chain | null): Hex => {
  const name = nameOf(far, outputToken);
  return name !== null && name === nameOf(near, inputToken) ? NOTHING : pad(outputToken);
};

const nameOf = (chain: Chain | null, token: Hex): string | null => {
  const asset = toChainAddress(chain, token);
  return chain && asset && nameEverywhere(chain, toCanonicalAsset(chain, asset));
};
