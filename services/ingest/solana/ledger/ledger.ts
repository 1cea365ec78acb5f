import { NATIVE } from '../../../investigate/model/movement.ts';
import type { BridgeCall, TokenHolding } from '../bridges/bridge-call.ts';
import type { ControlDraft } from '../control/control-draft.ts';
import type { AccountKeys } from '../encoding/account-keys.ts';
import { exactAmount, exactChange } from '../encoding/exact-integer.ts';
import type { RawMeta, RawReward, RawTokenBalance } from '../encoding/raw-block.ts';
import { TransactionFormatError } from '../transaction-format-error.ts';
import { type BlockKnowledge, rentExemptMinimum } from './block-knowledge.ts';
import type { BalanceChanges } from './pair-balances.ts';
import { lamportRow, type Row, tokenRow } from './row.ts';
import { isOpen, newTokenAccount, type TokenAccount } from './token-account.ts';
import { isWrappedNative } from './wrapped-native.ts';

/**
 * Replays a transaction's instructions over its balances. Each instruction adds rows and changes expected
 * balances; whatever the real balances show beyond that was moved by a program itself.
 */
export class Ledger {
  readonly keys: AccountKeys;
  readonly meta: RawMeta;
  readonly knowledge: BlockKnowledge;
  readonly rows: Row[] = [];
  /** By account index; undefined for other accounts. */
  readonly tokens: (TokenAccount | undefined)[] = [];
  /** Lamports moved by instructions, by account index; undefined if none. */
  readonly lamportChanges: (bigint | undefined)[];
  /** Token balances have owners, so the block need not be searched. */
  statesOwners = false;
  /** Money moved whose amounts no balance shows, and why; null if none did. */
  hidden: 'confidential_transfer' | 'compressed_transfer' | null = null;
  /** By mint: what no instruction or fee explains; null if all is explained. */
  unexplained: Map<string, BalanceChanges> | null = null;
  /** In execution order. */
  readonly bridgeCalls: BridgeCall[] = [];
  /** By program, its call that has not ended; null before the first. */
  private running: Map<string, BridgeCall> | null = null;
  /** In execution order; null before the first. */
  controls: ControlDraft[] | null = null;
  /** This many of the first accounts signed. */
  signerCount = 0;
  /** Mints that the transaction opened or closed, by account index. */
  turnedMints: Set<number> | null = null;
  /** Sizes of accounts that may become token accounts, by account index: they decide the rent. */
  spaces: Map<number, number> | null = null;

  constructor(keys: AccountKeys, meta: RawMeta, knowledge: BlockKnowledge) {
    this.keys = keys;
    this.meta = meta;
    this.knowledge = knowledge;
    this.lamportChanges = new Array<bigint | undefined>(keys.count);
    if (meta.preTokenBalances) for (const balance of meta.preTokenBalances) this.listBefore(balance);
    if (meta.postTokenBalances) for (const balance of meta.postTokenBalances) this.listAfter(balance);
  }

  private listBefore(balance: RawTokenBalance): void {
    const index = this.checked(balance.accountIndex);
    this.tokens[index] = newTokenAccount(balance.mint, this.statedOwner(balance, index), balance);
  }

  private listAfter(balance: RawTokenBalance): void {
    const index = this.checked(balance.accountIndex);
    const listed = this.tokens[index];
    // Once per account suffices: both lists name the same mint, unless it was opened or closed.
    this.noteDecimals(balance.mint, balance.uiTokenAmount.decimals);
    if (listed === undefined)
      this.tokens[index] = newTokenAccount(balance.mint, this.statedOwner(balance, index), null, balance);
    else {
      listed.after = balance;
      listed.owner ??= this.statedOwner(balance, index);
    }
  }

  private statedOwner(balance: RawTokenBalance, index: number): string | null {
    if (typeof balance.owner === 'string' && balance.owner !== '') {
      this.statesOwners = true;
      return balance.owner;
    }
    return this.knowledge.owners.get(this.keys.at(index)) ?? null;
  }

  checked(index: number): number {
    if (!Number.isInteger(index) || index < 0 || index >= this.keys.count)
      throw new TransactionFormatError('account_index', `there is no account ${index}`);
    return index;
  }

  /** The party behind a token account. */
  partyOf(index: number, token: TokenAccount): string {
    return token.owner ?? this.keys.at(index);
  }

  /** `indexes`: its accounts; `depth`: 1 for an instruction of the transaction itself. */
  noteBridgeCall(program: string, indexes: readonly number[], data: Buffer, depth: number): void {
    const holdings = new Map<string, TokenHolding>();
    for (const index of indexes) {
      const token = this.tokens[index];
      if (token === undefined) continue;
      const asset = token.isNative ? NATIVE : token.mint;
      holdings.set(this.keys.at(index), { owner: this.partyOf(index, token), asset });
    }
    const accounts = indexes.map((index) => this.keys.at(index));
    const row = this.rows.length;
    const call = { program, accounts, data, holdings, depth, row, rowEnd: row, place: 0, placeEnd: 0 };
    this.bridgeCalls.push(call);
    this.running ??= new Map();
    const earlier = this.running.get(program);
    if (earlier !== undefined) earlier.rowEnd = row;
    this.running.set(program, call);
  }

  /** The next instruction is called at this depth, so calls at least as deep have ended. */
  endBridgeCalls(depth: number): void {
    if (this.running === null) return;
    for (const call of this.running.values()) {
      if (call.depth < depth) continue;
      call.rowEnd = this.rows.length;
      this.running.delete(call.program);
    }
  }

  lamportsOf(index: number): bigint {
    return exactAmount(this.meta.preBalances[index]) + (this.lamportChanges[index] ?? 0n);
  }

  shiftLamports(index: number, amountRaw: bigint): void {
    this.lamportChanges[index] = (this.lamportChanges[index] ?? 0n) + amountRaw;
  }

  /** An instruction moved lamports between accounts. */
  moveLamports(from: number, to: number, amountRaw: bigint, authority: string | null): void {
    this.checked(from);
    this.checked(to);
    this.shiftLamports(from, -amountRaw);
    this.shiftLamports(to, amountRaw);
    const signer = authority === null || authority === this.keys.at(from) ? null : authority;
    this.payLamports(lamportRow('transfer', null, from, to, amountRaw, signer));
  }

  /** A token account's rent was paid when it was opened; later payments belong to its owner. */
  payLamports(row: Row): void {
    const target = this.tokens[row.toIndex];
    if (target !== undefined && isOpen(target)) {
      row.spareRaw = row.amountRaw;
      row.spareOf = this.partyOf(row.toIndex, target);
    }
    this.rows.push(row);
  }

  /** The token account at `index`, registered if the balances do not list it. */
  token(index: number, mint: string | null): TokenAccount {
    let token = this.tokens[this.checked(index)];
    if (token === undefined) {
      const key = this.keys.at(index);
      const known = mint ?? this.knowledge.mints.get(key) ?? null;
      token = newTokenAccount(known, this.knowledge.owners.get(key) ?? null);
      this.tokens[index] = token;
    }
    if (!token.touched) {
      token.touched = true;
      if (token.before !== null) token.amountRaw = exactAmount(token.before.uiTokenAmount.amount);
      else if (token.isNative && token.after === null) token.amountRaw = this.unlistedAmount(index);
    }
    if (token.mint === null && mint !== null) this.nameMint(index, token, mint);
    return token;
  }

  /** Late: it was not named before, so the transaction did not open it. */
  nameMint(index: number, token: TokenAccount, mint: string): void {
    token.mint = mint;
    if (!isWrappedNative(mint)) return;
    token.isNative = true;
    token.amountRaw = this.unlistedAmount(index);
  }

  /** Wrapped SOL in an account without a balance (2020): everything above the rent. */
  private unlistedAmount(index: number): bigint {
    const above = this.lamportsOf(index) - rentExemptMinimum(this.knowledge, null);
    return above > 0n ? above : 0n;
  }

  noteMintTurned(index: number): void {
    this.turnedMints ??= new Set();
    this.turnedMints.add(this.checked(index));
  }

  allocate(index: number, space: bigint): void {
    this.spaces ??= new Map();
    this.spaces.set(this.checked(index), Number(space));
  }

  noteDecimals(mint: string, decimals: unknown): void {
    if (typeof decimals !== 'number') return;
    // A byte on the chain.
    if (!Number.isInteger(decimals) || decimals < 0 || decimals > 255)
      throw new TransactionFormatError(
        'bad_decimals',
        `${decimals} is not a number of decimals that a token can have`,
      );
    this.knowledge.decimals.set(mint, decimals);
  }

  /** Rent that the runtime collected from accounts below the exempt minimum, until 2025. */
  chargeRent(rewards: readonly RawReward[]): void {
    for (const { pubkey, lamports } of rewards) {
      const amountRaw = exactChange(lamports);
      if (amountRaw >= 0n) continue;
      this.shiftLamports(this.keys.indexOf(pubkey), amountRaw);
      this.rows.push(tokenRow('rent', pubkey, null, NATIVE, -amountRaw));
    }
  }

  /** Token accounts without recorded balances took part, so sums cannot be checked. */
  hasUnlistedTokens(): boolean {
    return this.tokens.some(
      (token) =>
        token !== undefined &&
        token.before === null &&
        token.after === null &&
        !(token.opened && token.closed),
    );
  }

  /** Leaves owners and mints to later transactions; needed only if balances omit them. */
  remember(): void {
    const { mints, firstMints, owners } = this.knowledge;
    for (let index = 0; index < this.tokens.length; index++) {
      const token = this.tokens[index];
      if (token === undefined) continue;
      const key = this.keys.at(index);
      if ((token.mint !== null || token.closed) && !firstMints.has(key))
        firstMints.set(key, token.opened ? null : token.mint);
      if (token.mint !== null) mints.set(key, token.mint);
      if (token.owner !== null) owners.set(key, token.owner);
      if (token.closed && token.after === null) owners.delete(key);
    }
  }
}
