import type { Address } from '../../model/address.ts';
import type { Asset } from '../../model/asset.ts';
import type { AuthorityRole, TokenMetadata } from '../../model/control-event.ts';
import type { TopCallers } from '../../model/control-reader.ts';
import type { Label } from '../../model/label.ts';
import type { FundingChain } from '../funding-chain.ts';

/** When something was done, and in which transaction. Times are unix seconds. */
export type Done = { readonly signature: string; readonly time: number; readonly block: number };

/** `from` is null for the initial authority; `to` is null when the authority was given up. */
export type AuthorityChange = Done & {
  readonly role: AuthorityRole;
  readonly from: Address | null;
  readonly to: Address | null;
};

/**
 * Who may do something now. `none`: nobody ever could. `given_up`: nobody can any more. `unknown`: the kept
 * events do not say.
 */
export type Authority =
  | { readonly status: 'held'; readonly address: Address; readonly since: Done }
  | { readonly status: 'given_up'; readonly address: null; readonly since: Done }
  | { readonly status: 'none' | 'unknown'; readonly address: null; readonly since: null };

export type Maker = Done & { readonly address: Address; readonly label: Label | null };

export type RedFlag = { readonly code: string; readonly detail: string };

export type Holder = {
  readonly address: Address;
  readonly amountRaw: bigint;
  /** Share of the known issued supply. */
  readonly share: number;
  readonly label: Label | null;
};

export type TokenProfile = {
  /** True when the creation event is not kept and the creator is inferred. */
  readonly creator: (Maker & { readonly isInferred: boolean }) | null;
  readonly creatorFunding: FundingChain | null;
  /** The first transaction that named the token. When the creation is kept, it is the creation. */
  readonly launch: Done | null;
  /** Issued minus burnt, by the rows; null when the rows do not begin with the token's creation. */
  readonly supplyRaw: bigint | null;
  readonly metadata: TokenMetadata | null;
  readonly mintAuthority: Authority;
  readonly freezeAuthority: Authority;
  readonly metadataAuthority: Authority;
  readonly changes: readonly AuthorityChange[];
  readonly holders: number | null;
  readonly top: readonly Holder[];
  readonly redFlags: readonly RedFlag[];
};

export type Upgrade = Done & { readonly implementation: Address | null };

export type ProgramProfile = {
  readonly deployer: Maker | null;
  /** The factory contract that created it for the deployer; null when the deployer created it directly. */
  readonly factory: Address | null;
  readonly upgradeAuthority: Authority;
  readonly owner: Authority;
  readonly changes: readonly AuthorityChange[];
  readonly upgrades: readonly Upgrade[];
  readonly firstSeen: number | null;
  /** null when no calls of it are kept. */
  readonly topCallers: TopCallers | null;
};

/** A balance that the issuer froze and has not released. */
export type FrozenBalance = Done & {
  readonly asset: Asset;
  /** On Solana, the token account. */
  readonly account: Address | null;
  readonly by: Address | null;
};
