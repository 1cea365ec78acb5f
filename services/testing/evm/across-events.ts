import { encodeAbiParameters, type Hex, keccak256, parseAbiParameters } from 'viem';
import { ALICE, BOB, CAROL, hex, log, USDC, USDC_ON_BASE, word } from './small-evm-block.ts';

export const SPOKE_POOL = '0x5c7bcd6e7de5423a257d81b442095a1a6ced35c5';
export const BASE_SPOKE_POOL = '0x09aea4b2242abc8bb4bb78d537a67a245a7bec64';

// As explorers list them.
const TOPICS = {
  depositedV2: '0xafc4df6845a4ab948b492800d3d8a25d538a102a2bc07cd01f1cfa097fddcff6',
  depositedV3: '0xa123dc29aebf7d0c3322c8eeb5b999e859f39937950ed31056532713d0de396f',
  deposited: '0x32ed1a409ef04c7b0227189c3a103dc5ac10e775a15b785dcc510201f7c25ad3',
  filledV2: '0x8ab9dc6c19fe88e69bc70221b339c84332752fdd49591b7c51e66bae3947b73c',
  filledV3: '0x571749edf1d5c9599318cdbc4e28a6475d65e87fd3b2ddbe1e9a8d5e7a0f0ff7',
  filled: '0x44b559f101f8fbcc8a0ea43fa91a05a729a5ea6e14a7c75aa750374690137208',
};

/** Deposit 42 from Ethereum to Base: 700 USDC of Alice's, of which Bob gets 690. */
const RELAY = {
  input: USDC,
  output: USDC_ON_BASE,
  inputRaw: 700n,
  outputRaw: 690n,
  fillDeadline: 2,
  exclusivityDeadline: 3,
  recipient: BOB,
  depositor: ALICE,
  exclusiveRelayer: CAROL,
  message: '0x' as Hex,
  farChainId: 8453n,
};
export type Relay = typeof RELAY;

/** Whom and how much the depositor wanted paid in the end, in version 2 by the fee that was left to the relayer. */
type Last = { readonly to?: string; readonly raw?: bigint; readonly feePct?: bigint };

type AcrossVersion = {
  readonly deposit: (changed?: Partial<Relay>) => Record<string, unknown>;
  readonly fill: (changed?: Partial<Relay>, last?: Last) => Record<string, unknown>;
};

// viem tells the values' types from the text of a literal, and this is none.
const data = (types: string, values: readonly unknown[]): Hex =>
  encodeAbiParameters(parseAbiParameters(types), values as never);

// Fees of 1 % and 0.5 %.
const [LP_FEE, RELAYER_FEE] = [10_000_000_000_000_000n, 5_000_000_000_000_000n];

export const ACROSS_V2: AcrossVersion = {
  deposit: (changed) => {
    const { input, inputRaw, recipient, depositor, message, farChainId } = { ...RELAY, ...changed };
    return log(
      [TOPICS.depositedV2, word(hex(farChainId)), word('0x2a'), word(depositor)],
      data('uint256, uint256, int64, uint32, address, address, bytes', [
        ...[inputRaw, 1n, RELAYER_FEE, 0, input, recipient, message],
      ]),
      SPOKE_POOL,
    );
  },
  fill: (changed, { to, feePct = RELAYER_FEE } = {}) => {
    const { output, inputRaw, recipient, depositor, message, farChainId } = { ...RELAY, ...changed };
    return log(
      [TOPICS.filledV2, word('0x1'), word('0x2a'), word(depositor)],
      data(
        'uint256, uint256, uint256, uint256, uint256, int64, int64, address, address, address, bytes, (address, bytes, int64, bool, int256)',
        [
          ...[inputRaw, inputRaw, inputRaw, 1n, farChainId, RELAYER_FEE, LP_FEE],
          ...[output, CAROL, recipient, message],
          [to ?? recipient, message, feePct, false, 0n],
        ],
      ),
      BASE_SPOKE_POOL,
    );
  },
};

export const ACROSS_V3: AcrossVersion = {
  deposit: (changed) => depositV3(TOPICS.depositedV3, 'address', { ...RELAY, ...changed }),
  fill: (changed, last = {}) => {
    const relay = { ...RELAY, ...changed };
    return fillV3(TOPICS.filledV3, 'address', relay, last, { type: 'bytes', message: relay.message });
  },
};

export const ACROSS_V3_LONG: AcrossVersion = {
  deposit: (changed) => depositV3(TOPICS.deposited, 'bytes32', { ...RELAY, ...changed }),
  fill: (changed, last = {}) => {
    const relay = { ...RELAY, ...changed };
    const message = relay.message === '0x' ? word('0x0') : keccak256(relay.message);
    return fillV3(TOPICS.filled, 'bytes32', relay, last, { type: 'bytes32', message });
  },
};

const depositV3 = (topic: string, type: string, relay: Relay) => {
  const party = (value: string): string => (type === 'address' ? value : word(value));
  const types = `${type}, ${type}, uint256, uint256, uint32, uint32, uint32, ${type}, ${type}, bytes`;
  return log(
    [topic, word(hex(relay.farChainId)), word('0x2a'), word(relay.depositor)],
    data(types, [
      ...[party(relay.input), party(relay.output), relay.inputRaw, relay.outputRaw],
      ...[1, relay.fillDeadline, relay.exclusivityDeadline],
      ...[party(relay.recipient), party(relay.exclusiveRelayer), relay.message],
    ]),
    SPOKE_POOL,
  );
};

const fillV3 = (
  topic: string,
  type: string,
  relay: Relay,
  { to = relay.recipient, raw = relay.outputRaw }: Last,
  said: { readonly type: string; readonly message: string },
) => {
  const party = (value: string): string => (type === 'address' ? value : word(value));
  const types = `${type}, ${type}, uint256, uint256, uint256, uint32, uint32, ${type}, ${type}, ${type}, ${said.type}, (${type}, ${said.type}, uint256, uint8)`;
  return log(
    [topic, word('0x1'), word('0x2a'), word(CAROL)],
    data(types, [
      ...[party(relay.input), party(relay.output), relay.inputRaw, relay.outputRaw],
      ...[10, relay.fillDeadline, relay.exclusivityDeadline],
      ...[party(relay.exclusiveRelayer), party(relay.depositor), party(relay.recipient), said.message],
      [party(to), said.message, raw, 0],
    ]),
    BASE_SPOKE_POOL,
  );
};

/** Both sides of each version, in the form of its events. */
export const ACROSS_VERSIONS: Readonly<Record<string, AcrossVersion>> = {
  'version 2': ACROSS_V2,
  'version 3': ACROSS_V3,
  'version 3 with long addresses': ACROSS_V3_LONG,
};
