/**
 * The rules of each chain, as data. A chain without an entry is decoded, too; its fees go to null
 * (`recipient_unknown`).
 */

/** An account, in lower case. */
export type Account = `0x${string}`;

/**
 * Who gets a part of the fee. `miner`: the block's fee recipient. `nobody`: burnt. `fee_log`: the account in the
 * transaction's fee log (`nativeLogs`). `unknown`: the block does not say. A list: the account of the last entry
 * whose block is reached, `unknown` before the first.
 */
export type Recipient =
  | 'miner'
  | 'nobody'
  | 'fee_log'
  | 'unknown'
  | Account
  | readonly { readonly fromBlock: number; readonly account: Account }[];

export type FeeRules = {
  /** Gas used times the price above the base fee, or all of it if the block has no base fee. */
  readonly tip: Recipient;
  readonly base: Recipient;
  readonly blob: Recipient;
  /** `l1Fee` of a receipt, on top of the gas. */
  readonly l1: Recipient;
  /** Operator fee, on top of the gas. */
  readonly operator: Recipient;
  /** `gasUsedForL1` of a receipt: this part of the gas goes here, whatever its price. */
  readonly l1Gas: Recipient | null;
};

export type ChainRules = {
  /** WETH9 and its kin: logs of deposits and withdrawals are wrapping. null: none known. */
  readonly wrappedNative: Account | null;
  /** The wrapped coin logs wrapping as `Transfer` from and to the null address. */
  readonly wrapsByTransferLog: boolean;
  /** A token whose balances are the coin's: it logs issues and burns and transfers nothing. */
  readonly coinToken: Account | null;
  /** More than the coin's supply will be: no amount is larger. */
  readonly supplyMaxRaw: bigint;
  readonly fees: FeeRules;
  /** First block in which a contract is not created if storing its code is too expensive (EIP-2). */
  readonly homesteadFrom: number;
  /** First block whose receipts have a `status` (EIP-658). */
  readonly statusFrom: number;
  /** First block whose header has a base fee; null: unknown, or both parts of the price go to one account. */
  readonly baseFeeFrom: number | null;
  /** First block whose receipts have `l1Fee`, except for deposits; null: none, or unknown. */
  readonly l1FeeFrom: number | null;
  /**
   * First block whose roots follow Ethereum's form and the types known here. null: unknown, so only a matching
   * root proves something.
   */
  readonly rootsFrom: number | null;
  /** Fees gather in this account and go to the block's fee recipient at the end of the block. */
  readonly feesGatherIn: Account | null;
  /** Rewards of proof of work by block, until difficulty is 0. */
  readonly blockRewards: readonly { readonly fromBlock: number; readonly weiRaw: bigint }[];
  /** Whether `withdrawals` of a block pay the native coin. */
  readonly nativeWithdrawals: boolean;
  /** First block that lists `withdrawals`, even if empty; null: unknown. */
  readonly withdrawalsFrom: number | null;
  /** From this block on self-destruction only empties an account (EIP-6780), if the header does not show it. */
  readonly cancunFrom: { readonly block: number } | { readonly arbosVersion: number } | null;
  /** Transaction types (hex) that first issue coins to their sender: the field with the amount. */
  readonly depositTypes: Readonly<Record<string, 'mint' | 'value' | 'depositValue'>>;
  /** Transaction types without an ordinary fee. */
  readonly feelessTypes: readonly string[];
  /** Transaction types that pay for gas in the coin, as on Ethereum. For others the payment is unknown. */
  readonly gasTypes: readonly string[];
  /**
   * What is paid above the base fee. `offered`: what the transaction's limits allow, so the price is known without
   * the receipt. `dropped`: nothing (Nitro). `unknown`: the receipt decides.
   */
  readonly tips: 'offered' | 'dropped' | 'unknown';
  /** Whether validators may include transactions with a price of 0. */
  readonly freeTransactions: boolean;
  /** Transaction types that never run code, whatever gas their receipts state. */
  readonly codelessTypes: readonly string[];
  /** Transaction types with movements that a block does not tell, and the reason of their exemption. */
  readonly opaqueTypes: Readonly<Record<string, string>>;
  /** A contract that logs movements of the coin; its `Transfer` logs are not ERC-20. */
  readonly nativeLogs: {
    readonly contract: Account;
    readonly transferTopic: string | null;
    readonly feeTopic: string | null;
  } | null;
  /** A log that states how much of the coin its contract burnt: the 32-byte word's position in the data. */
  readonly burnLog: { readonly contract: Account; readonly topic: string; readonly word: number } | null;
  /**
   * A log that states what the client issues at the end of the block: recipient in topic 1, amount in the first
   * word.
   */
  readonly mintLog: { readonly contracts: readonly Account[]; readonly topic: string } | null;
  /** The frame type with which a trace tells movements by the chain's own code; null: none. */
  readonly systemFrame: string | null;
  /** The transaction type that keeps its value in an escrow account until it is redeemed. */
  readonly ticketType: string | null;
  /**
   * The sender of the client's own transactions at the end of a block. Nodes do not trace them, or trace several
   * calls from another account as one, so their movements come from logs. null: none.
   */
  readonly untracedSender: Account | null;
  /**
   * Blocks in which balances changed by decree, which no part of the block tells. The first block of every chain
   * is one.
   */
  readonly irregularBlocks: Readonly<Record<number, string>>;
};

const UNKNOWN: ChainRules = {
  wrappedNative: null,
  wrapsByTransferLog: false,
  coinToken: null,
  // Coins of some chains are many: 10^15 with 18 decimals.
  supplyMaxRaw: 2n ** 128n,
  fees: { tip: 'unknown', base: 'unknown', blob: 'unknown', l1: 'unknown', operator: 'unknown', l1Gas: null },
  homesteadFrom: 0,
  statusFrom: 0,
  baseFeeFrom: null,
  l1FeeFrom: null,
  rootsFrom: null,
  feesGatherIn: null,
  blockRewards: [],
  nativeWithdrawals: true,
  withdrawalsFrom: null,
  cancunFrom: null,
  // OP stack chains of any name: the transaction itself states what it issues.
  depositTypes: { '0x7e': 'mint' },
  feelessTypes: ['0x7e'],
  gasTypes: ['0x0', '0x1', '0x2', '0x3', '0x4'],
  tips: 'unknown',
  freeTransactions: true,
  codelessTypes: [],
  opaqueTypes: {},
  nativeLogs: null,
  burnLog: null,
  mintLog: null,
  systemFrame: null,
  ticketType: null,
  untracedSender: null,
  irregularBlocks: { 0: 'the genesis allocations are not in the block' },
};

// 121 million ether in 2026, and under one in a hundred more a year.
const ETHER_MAX_RAW = 150_000_000n * 10n ** 18n;

// Base and blob fees are burnt (EIP-1559, EIP-4844), the rest is the proposer's.
const L1: ChainRules = {
  ...UNKNOWN,
  rootsFrom: 0,
  depositTypes: {},
  feelessTypes: [],
  tips: 'offered',
  freeTransactions: false,
  fees: { tip: 'miner', base: 'nobody', blob: 'nobody', l1: 'unknown', operator: 'unknown', l1Gas: null },
};

const ETHEREUM: ChainRules = {
  ...L1,
  wrappedNative: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
  supplyMaxRaw: ETHER_MAX_RAW,
  homesteadFrom: 1_150_000,
  // Byzantium, London and Shanghai.
  statusFrom: 4_370_000,
  baseFeeFrom: 12_965_000,
  withdrawalsFrom: 17_034_870,
  blockRewards: [
    { fromBlock: 1, weiRaw: 5_000_000_000_000_000_000n },
    // Byzantium (EIP-649) and Constantinople (EIP-1234).
    { fromBlock: 4_370_000, weiRaw: 3_000_000_000_000_000_000n },
    { fromBlock: 7_280_000, weiRaw: 2_000_000_000_000_000_000n },
    // Paris: the last proof-of-work block is 15,537,393. The number is needed for sources without difficulty.
    { fromBlock: 15_537_394, weiRaw: 0n },
  ],
  irregularBlocks: {
    ...L1.irregularBlocks,
    1920000: 'the DAO fork moved the balances of the DAO and its children to the refund contract',
  },
};

// Each part of the fee has its own vault; nothing is burnt.
const OP_STACK: ChainRules = {
  ...UNKNOWN,
  wrappedNative: '0x4200000000000000000000000000000000000006',
  supplyMaxRaw: ETHER_MAX_RAW,
  fees: {
    tip: '0x4200000000000000000000000000000000000011',
    base: '0x4200000000000000000000000000000000000019',
    blob: 'unknown',
    l1: '0x420000000000000000000000000000000000001a',
    operator: '0x420000000000000000000000000000000000001b',
    l1Gas: null,
  },
  baseFeeFrom: 0,
  l1FeeFrom: 0,
  rootsFrom: 0,
  tips: 'offered',
  freeTransactions: false,
};

// Optimism was another system before this block.
const BEDROCK = 105_235_063;

const OPTIMISM: ChainRules = {
  ...OP_STACK,
  fees: {
    ...OP_STACK.fees,
    // Before Bedrock one vault took both parts.
    l1: [
      { fromBlock: 0, account: '0x4200000000000000000000000000000000000011' },
      { fromBlock: BEDROCK, account: '0x420000000000000000000000000000000000001a' },
    ],
  },
  baseFeeFrom: BEDROCK,
  l1FeeFrom: BEDROCK,
  rootsFrom: BEDROCK,
  // OVM_ETH, through which the first bridge moved ether; silent since Bedrock.
  coinToken: '0xdeaddeaddeaddeaddeaddeaddeaddeaddead0000',
  irregularBlocks: {
    ...OP_STACK.irregularBlocks,
    [BEDROCK]: 'Bedrock began with the balances of the system before it',
  },
};

const POLYGON: ChainRules = {
  ...UNKNOWN,
  wrappedNative: '0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270',
  supplyMaxRaw: 20_000_000_000n * 10n ** 18n,
  fees: {
    ...UNKNOWN.fees,
    // The header's miner is the null address; the client logs the recipient.
    tip: 'fee_log',
    // bor credits the base fee to a contract, which is emptied on Ethereum later.
    base: [
      { fromBlock: 23_850_000, account: '0x70bca57f4579f58670ab2d18ef16e02c17553c38' },
      { fromBlock: 50_523_000, account: '0x7a8ed27f4c30512326878652d20fc85727401854' },
      { fromBlock: 83_756_500, account: '0x3ef57def668054dd750bd260526105c4eeef104f' },
    ],
  },
  baseFeeFrom: 23_850_000,
  rootsFrom: 0,
  nativeWithdrawals: false,
  depositTypes: {},
  // State sync, since it became part of blocks.
  feelessTypes: ['0x7f'],
  tips: 'offered',
  freeTransactions: false,
  cancunFrom: { block: 54_876_000 },
  nativeLogs: {
    contract: '0x0000000000000000000000000000000000001010',
    transferTopic: '0xe6497e3ee548a3372136af2fcb0696db31fc6cf20260707645068bd3fe97f3c4',
    feeTopic: '0x4dfe1bbbcf077ddc3e01291eea2d5c70c2b422b415d95645b9adcfd678cb1d63',
  },
  // State sync brings events from Ethereum. bor traces it only with `borTraceEnabled`, Erigon never.
  untracedSender: '0x0000000000000000000000000000000000000000',
};

const BSC: ChainRules = {
  ...UNKNOWN,
  wrappedNative: '0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c',
  supplyMaxRaw: 300_000_000n * 10n ** 18n,
  // Parlia credits gas and blob fees to a system address, which pays the validator at the end of the block; the
  // validator's system transactions then move it as ordinary value.
  fees: {
    tip: '0xfffffffffffffffffffffffffffffffffffffffe',
    base: '0xfffffffffffffffffffffffffffffffffffffffe',
    blob: '0xfffffffffffffffffffffffffffffffffffffffe',
    l1: 'unknown',
    operator: 'unknown',
    l1Gas: null,
  },
  rootsFrom: 0,
  feesGatherIn: '0xfffffffffffffffffffffffffffffffffffffffe',
  nativeWithdrawals: false,
  depositTypes: {},
  feelessTypes: [],
  tips: 'offered',
  freeTransactions: false,
};

// Arbitrum's first block of Nitro.
const NITRO = 22_207_817;

const ARBITRUM: ChainRules = {
  ...UNKNOWN,
  wrappedNative: '0x82af49447d8a07e3bd95bd0d56f35241523fbab1',
  wrapsByTransferLog: true,
  supplyMaxRaw: ETHER_MAX_RAW,
  // ArbOS pays the posting part to a fixed pool (Nitro, its first block). The rest is split between two accounts by a
  // price, and all three are state of ArbOS which no block shows.
  fees: {
    ...UNKNOWN.fees,
    l1Gas: [{ fromBlock: NITRO, account: '0xa4b00000000000000000000000000000000000f6' }],
  },
  baseFeeFrom: NITRO,
  rootsFrom: NITRO + 1,
  nativeWithdrawals: false,
  cancunFrom: { arbosVersion: 20 },
  depositTypes: { '0x64': 'value', '0x69': 'depositValue' },
  // Internal and deposit transactions are free; a ticket pays from its deposit when it is submitted.
  feelessTypes: ['0x64', '0x68', '0x69', '0x6a'],
  // 0x65 and 0x66 come unsigned from Ethereum; 0x78 is from before Nitro.
  gasTypes: [...UNKNOWN.gasTypes, '0x65', '0x66', '0x78'],
  tips: 'dropped',
  freeTransactions: false,
  // A deposit is credited and passed on without the EVM; its receipt states no gas.
  codelessTypes: ['0x64'],
  opaqueTypes: { '0x68': 'retryable', '0x69': 'retryable' },
  // ArbSys destroys what is withdrawn to Ethereum.
  burnLog: {
    contract: '0x0000000000000000000000000000000000000064',
    topic: '0x3e7aafa77dbf186b7fd488006beff893744caa3c4f6f299e8a709fa2087374fc',
    word: 4,
  },
  // Nitro's MockCall: it issues a ticket's deposit, and burns what ArbSys logs.
  systemFrame: 'INVALID',
  ticketType: '0x69',
  irregularBlocks: {
    ...UNKNOWN.irregularBlocks,
    [NITRO]: 'Nitro began with the balances of the system before it',
  },
};

const GNOSIS: ChainRules = {
  ...L1,
  wrappedNative: '0xe91d153e0b41518a2ce8dd3d7944fa863463a97d',
  // The base fee goes to a collector instead of nobody.
  fees: { ...L1.fees, base: '0x6bbe78ee9e474842dbd4ab4987b3cefe88426a92', blob: 'unknown' },
  // Validators let some accounts pay nothing before the Merge.
  freeTransactions: true,
  // Validators are paid in GNO by a contract, as its logs show.
  nativeWithdrawals: false,
  // The bridge tells the reward contract whom it owes; the client issues it at the end of the block.
  mintLog: {
    // Until block 9,186,425, and since.
    contracts: ['0x867305d19606aadba405ce534e303d0e225f9556', '0x481c034c6d9441db23ea48de68bcae812c5d39ba'],
    topic: '0x3c798bbcf33115b42c728b8504cff11dd58736e9fa789f1cda2738db7d696b2a',
  },
};

const SEPOLIA: ChainRules = {
  ...L1,
  wrappedNative: '0xfff9976782d46cc05630d1f6ebab18b2324d6b14',
  baseFeeFrom: 0,
  withdrawalsFrom: 2_990_908,
  // Proof of work until the Merge.
  blockRewards: [
    { fromBlock: 1, weiRaw: 2_000_000_000_000_000_000n },
    { fromBlock: 1_450_409, weiRaw: 0n },
  ],
};

const RULES: Readonly<Record<string, ChainRules>> = {
  ethereum: ETHEREUM,
  base: OP_STACK,
  optimism: OPTIMISM,
  polygon: POLYGON,
  bsc: BSC,
  arbitrum: ARBITRUM,
  gnosis: GNOSIS,
  sepolia: SEPOLIA,
};

/** Whether a chain has its own rules. */
export const hasRules = (chain: string): boolean => Object.hasOwn(RULES, chain);

export const rulesOf = (chain: string): ChainRules => (hasRules(chain) ? (RULES[chain] ?? UNKNOWN) : UNKNOWN);
