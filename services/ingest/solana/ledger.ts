import { type MovementKind, NATIVE } from '../../investigate/model/movement.ts';
import type { AccountKeys } from './account-keys.ts';
import { type BlockKnowledge, learnRent, rentExemptMinimum } from './block-knowledge.ts';
import type { BridgeCall } from './bridges/bridge-call.ts';
import { exactAmount, exactChange } from './exact-integer.ts';
import type { RawMeta, RawReward, RawTokenBalance } from './raw-block.ts';
import { lamportRow, type Row, tokenRow } from './row.ts';
import { newTokenAccount, type TokenAccount } from './token-account.ts';
import { TransactionFormatError } from './transaction-format-error.ts';
import { isWrappedNative } from './wrapped-native.ts';

/**
 * Replays the instructions of one transaction over its balances: every instruction leaves rows, and what each account
 * should hold in the end, so that whatever the balances say beyond that was moved by a program on its own.
 */
export class Ledger {
  readonly keys: AccountKeys;
  readonly meta: RawMeta;
  readonly knowledge: BlockKnowledge;
  readonly rows: Row[] = [];
  /** By account index; undefined for accounts that are no token accounts. */
  readonly tokens: (TokenAccount | undefined)[] = [];
  /** Lamports that instructions moved, by account index. */
  readonly lamportChanges: bigint[];
  /** The token balances name owners, so nothing has to be looked up in the rest of the block. */
  statesOwners = false;
  hasConfidentialTransfer = false;
  /** In the order of execution. */
  readonly bridgeCalls: BridgeCall[] = [];
  private spaces: Map<number, number> | null = null;

  constructor(keys: AccountKeys, meta: RawMeta, knowledge: BlockKnowledge) {
    this.keys = keys;
    this.meta = meta;
    this.knowledge = knowledge;
    this.lamportChanges = new Array<bigint>(keys.count).fill(0n);
    if (meta.preTokenBalances) for (const balance of meta.preTokenBalances) this.listBefore(balance);
    if (meta.postTokenBalances) for (const balance of meta.postTokenBalances) this.listAfter(balance);
  }

  private listBefore(balance: RawTokenBalance): void {
    const index = this.checked(balance.accountIndex);
    this.tokens[index] = newTokenAccount(
      balance.mint,
      isWrappedNative(balance.mint),
      this.statedOwner(balance, index),
      balance,
      null,
    );
  }

  private listAfter(balance: RawTokenBalance): void {
    const index = this.checked(balance.accountIndex);
    const listed = this.tokens[index];
    // Once for each account is enough: both lists name the same mint, unless it was opened or closed.
    this.noteDecimals(balance.mint, balance.uiTokenAmount.decimals);
    if (listed !== undefined) listed.after = balance;
    else
      this.tokens[index] = newTokenAccount(
        balance.mint,
        isWrappedNative(balance.mint),
        this.statedOwner(balance, index),
        null,
        balance,
      );
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

  /** The party that holds what is in a token account. */
  partyOf(index: number, token: TokenAccount): string {
    return token.owner ?? this.keys.at(index);
  }

  lamportsOf(index: number): bigint {
    return exactAmount(this.meta.preBalances[index]) + (this.lamportChanges[index] ?? 0n);
  }

  shiftLamports(index: number, amountRaw: bigint): void {
    this.lamportChanges[index] = (this.lamportChanges[index] ?? 0n) + amountRaw;
  }

  /** An instruction moved lamports from one account to another. */
  moveLamports(from: number, to: number, amountRaw: bigint, authority: string | null): void {
    this.checked(from);
    this.checked(to);
    this.shiftLamports(from, -amountRaw);
    this.shiftLamports(to, amountRaw);
    const signer = authority === null || authority === this.keys.at(from) ? null : authority;
    this.rows.push(lamportRow('transfer', null, from, to, amountRaw, signer, false));
  }

  /** The token account at `index` as instructions see it, registered when the balances do not list it. */
  token(index: number, mint: string | null): TokenAccount {
    let token = this.tokens[this.checked(index)];
    if (token === undefined) {
      const key = this.keys.at(index);
      const known = mint ?? this.knowledge.mints.get(key) ?? null;
      const isNative = known !== null && isWrappedNative(known);
      token = newTokenAccount(known, isNative, this.knowledge.owners.get(key) ?? null, null, null);
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

  private nameMint(index: number, token: TokenAccount, mint: string): void {
    token.mint = mint;
    if (!isWrappedNative(mint)) return;
    token.isNative = true;
    if (!token.opened) token.amountRaw = this.unlistedAmount(index);
  }

  /** Wrapped SOL in an account that no balance lists (2020): whatever lies above the rent. */
  private unlistedAmount(index: number): bigint {
    const above = this.lamportsOf(index) - rentExemptMinimum(this.knowledge, null);
    return above > 0n ? above : 0n;
  }

  openToken(index: number, mint: string, owner: string): void {
    this.checked(index);
    const earlier = this.tokens[index];
    const token = earlier ?? newTokenAccount(mint, isWrappedNative(mint), owner, null, null);
    token.mint = mint;
    token.isNative = isWrappedNative(mint);
    token.owner = owner;
    token.amountRaw = 0n;
    token.touched = true;
    token.opened = true;
    token.closed = false;
    this.tokens[index] = token;
    const space = this.spaces?.get(index);
    if (token.isNative) this.syncNative(index);
    else if (space !== undefined) learnRent(this.knowledge, space, this.lamportsOf(index));
  }

  /** An associated account that was asked for: creating one that exists already changes nothing. */
  openAssociated(index: number, mint: string, owner: string): void {
    if (this.lamportsOf(this.checked(index)) === 0n) this.openToken(index, mint, owner);
  }

  /** Takes up as wrapped what lies in the account above its rent, newest payments first: the oldest paid the rent. */
  syncNative(index: number): void {
    const token = this.token(index, null);
    if (!token.isNative) return;
    let rest = this.lamportsOf(index) - this.reserveOf(index, token) - token.amountRaw;
    if (rest <= 0n) return;
    token.amountRaw += rest;
    const party = this.partyOf(index, token);
    for (let i = this.rows.length - 1; i >= 0 && rest > 0n; i--) {
      const row = this.rows[i];
      if (row === undefined || !row.isLamports || row.toIndex !== index) continue;
      const taken = smallest(row.amountRaw - row.wrappedRaw, rest);
      row.wrappedRaw += taken;
      row.wrappedBy = party;
      rest -= taken;
    }
    if (rest > 0n) this.rows.push(tokenRow('rent', null, party, NATIVE, rest, null, -1, -1));
  }

  /** Lamports of a wrapped-SOL account that never count as wrapped. */
  private reserveOf(index: number, token: TokenAccount): bigint {
    let reserve: bigint | null = null;
    if (token.before !== null)
      reserve = exactAmount(this.meta.preBalances[index]) - exactAmount(token.before.uiTokenAmount.amount);
    if (token.after !== null) {
      const after =
        exactAmount(this.meta.postBalances[index]) - exactAmount(token.after.uiTokenAmount.amount);
      // Lamports sent but not taken up make either difference too large; the smaller one is nearer.
      if (reserve === null || after < reserve) reserve = after;
    }
    const space = this.spaces?.get(index) ?? null;
    if (reserve !== null && space === null) return reserve;
    const minimum = rentExemptMinimum(this.knowledge, space);
    return reserve !== null && reserve < minimum ? reserve : minimum;
  }

  transferTokens(
    from: number,
    to: number,
    amountRaw: bigint,
    authority: string,
    mint: string | null,
    feeRaw: bigint,
  ): void {
    const source = this.token(from, mint ?? this.tokens[this.checked(to)]?.mint ?? null);
    const target = this.token(to, source.mint);
    if (source.mint === null && target.mint !== null) this.nameMint(from, source, target.mint);
    if (from !== to) this.moveAmount(from, source, to, target, amountRaw, feeRaw);
    const owner = this.partyOf(from, source);
    const asset = source.isNative ? NATIVE : source.mint;
    const signer = authority === owner ? null : authority;
    const row = tokenRow('transfer', owner, this.partyOf(to, target), asset, amountRaw, signer, from, to);
    row.withheldRaw = from === to ? 0n : feeRaw;
    this.rows.push(row);
  }

  private moveAmount(
    from: number,
    source: TokenAccount,
    to: number,
    target: TokenAccount,
    amountRaw: bigint,
    feeRaw: bigint,
  ): void {
    if (source.isNative && source.amountRaw < amountRaw) this.coverShortage(from, source, amountRaw);
    source.amountRaw -= amountRaw;
    target.amountRaw += amountRaw - feeRaw;
    if (!source.isNative) return;
    this.shiftLamports(from, -amountRaw);
    this.shiftLamports(to, amountRaw);
  }

  /** A wrapped account pays more than was thought to be wrapped: the rent kept back for it was taken too high. */
  private coverShortage(index: number, token: TokenAccount, amountRaw: bigint): void {
    if (token.before !== null || token.after !== null) return;
    const shortage = amountRaw - token.amountRaw;
    token.amountRaw = amountRaw;
    const party = this.partyOf(index, token);
    this.rows.push(tokenRow('rent', null, party, NATIVE, shortage, null, -1, -1));
  }

  /** Issued to (`mint`, `unwrap`) or taken from (`burn`, `wrap`) a token account, with nobody on the other side. */
  changeSupply(kind: MovementKind, index: number, mint: string, amountRaw: bigint, authority: string): void {
    const token = this.token(index, mint);
    const party = this.partyOf(index, token);
    const isIssued = kind === 'mint' || kind === 'unwrap';
    token.amountRaw += isIssued ? amountRaw : -amountRaw;
    const signer = authority === party ? null : authority;
    this.rows.push(
      tokenRow(kind, isIssued ? null : party, isIssued ? party : null, token.mint, amountRaw, signer, -1, -1),
    );
  }

  closeToken(index: number, to: number, authority: string, mayBeMint: boolean): void {
    this.checked(to);
    if (mayBeMint && this.tokens[this.checked(index)] === undefined) {
      // Token-2022 closes mints too. Those are accounts like others: what they held was their own.
      this.moveLamports(index, to, this.lamportsOf(index), authority);
      return;
    }
    const token = this.token(index, null);
    const lamports = this.lamportsOf(index);
    const wrapped = token.isNative ? token.amountRaw : 0n;
    this.shiftLamports(index, -lamports);
    this.shiftLamports(to, lamports);
    if (lamports > wrapped) this.rows.push(lamportRow('rent', null, -1, to, lamports - wrapped, null, false));
    if (wrapped > 0n) this.pushUnwrap(index, token, to, wrapped, authority);
    token.amountRaw = 0n;
    token.closed = true;
  }

  /** Pays `amountRaw` (null: all) of a wrapped-SOL account out as lamports. */
  unwrap(index: number, to: number, amountRaw: bigint | null, authority: string): void {
    this.checked(to);
    const token = this.token(index, null);
    const amount = amountRaw ?? token.amountRaw;
    token.amountRaw -= amount;
    this.shiftLamports(index, -amount);
    this.shiftLamports(to, amount);
    if (amount > 0n) this.pushUnwrap(index, token, to, amount, authority);
  }

  private pushUnwrap(
    index: number,
    token: TokenAccount,
    to: number,
    amountRaw: bigint,
    authority: string,
  ): void {
    const party = this.partyOf(index, token);
    const signer = authority === party ? null : authority;
    this.rows.push(lamportRow('transfer', party, -1, to, amountRaw, signer, true));
  }

  setOwner(index: number, owner: string): void {
    const token = this.token(index, null);
    const party = this.partyOf(index, token);
    const asset = token.isNative ? NATIVE : token.mint;
    if (token.amountRaw > 0n && party !== owner && asset !== null)
      this.rows.push(tokenRow('owner_change', party, owner, asset, token.amountRaw, null, -1, -1));
    token.owner = owner;
  }

  /** Remembers how large an account that may become a token account is: its rent follows from that. */
  allocate(index: number, space: bigint): void {
    this.spaces ??= new Map();
    this.spaces.set(this.checked(index), Number(space));
  }

  expectWithheld(index: number, mint: string): void {
    this.token(index, mint).receivesWithheld = true;
  }

  noteDecimals(mint: string, decimals: unknown): void {
    if (typeof decimals !== 'number') return;
    // A byte on the chain.
    if (!Number.isInteger(decimals) || decimals < 0 || decimals > 255)
      throw new TransactionFormatError('bad_decimals', `${decimals} are no decimals of a token`);
    this.knowledge.decimals.set(mint, decimals);
  }

  /** Rent that the runtime collected from accounts below the exempt minimum, until 2025. */
  chargeRent(rewards: readonly RawReward[]): void {
    for (const { pubkey, lamports } of rewards) {
      const amountRaw = exactChange(lamports);
      if (amountRaw >= 0n) continue;
      this.shiftLamports(this.keys.indexOf(pubkey), amountRaw);
      this.rows.push(tokenRow('rent', pubkey, null, NATIVE, -amountRaw, null, -1, -1));
    }
  }

  /** Token accounts took part whose balances the node did not record, so the sums cannot be checked. */
  hasUnlistedTokens(): boolean {
    return this.tokens.some(
      (token) =>
        token !== undefined &&
        token.before === null &&
        token.after === null &&
        !(token.opened && token.closed),
    );
  }

  /** Leaves owners and mints to the transactions that follow; only needed where the balances do not state them. */
  remember(): void {
    for (let index = 0; index < this.tokens.length; index++) {
      const token = this.tokens[index];
      if (token === undefined) continue;
      const key = this.keys.at(index);
      if (token.mint !== null) this.knowledge.mints.set(key, token.mint);
      if (token.owner !== null) this.knowledge.owners.set(key, token.owner);
      if (token.closed && token.after === null) this.knowledge.owners.delete(key);
    }
  }
}

const smallest = (a: bigint, b: bigint): bigint => {
  if (a < b) return a;
  return b;
};
