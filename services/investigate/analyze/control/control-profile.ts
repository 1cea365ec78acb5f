import type { Address } from '../../model/address.ts';
import type { Asset } from '../../model/asset.ts';
import type { AuthorityRole, TokenMetadata } from '../../model/control-event.ts';
import type { TopCallers } from '../../model/control-reader.ts';
import type { Label } from '../../model/label.ts';
import type { FundingChain } from '../funding-chain.ts';

/** When something was done, and by which transaction. Times are unix seconds. */
export type Done = { readonly signature: string; readonly time: number; readonly block: number };

/** `from` null: it was there from the beginning; `to` null: it was given up. */
export type AuthorityChange = Done & {
  readonly role: AuthorityRole;
  readonly from: Address | null;
  readonly to: Address | null;
};

/** Who may do something now. `none`: nobody ever could, `given_up`: nobody can any more, `unknown`: the kept events do not tell. */
export type Authority =
  | { readonly status: 'held'; readonly address: Address; readonly since: Done }
  | { readonly status: 'given_up'; readonly address: null; readonly since: Done }
  | { readonly status: 'none' | 'unknown'; readonly address: null; readonly since: null };

export type Maker = Done & { readonly address: Address; readonly label: Label | null };

export type RedFlag = { readonly code: string; readonly detail: string };

export type Holder = {
  readonly address: Address;
  readonly amountRaw: bigint;
  /** Of all that is known to be issued. */
  readonly share: number;
  readonly label: Label | null;
};

export type TokenProfile = {
  /** Inferred where its creation is not among the events that are kept. */
  readonly creator: (Maker & { readonly isInferred: boolean }) | null;
  readonly creatorFunding: FundingChain | null;
  /** The first transaction that named it: where its creation is kept, that. */
  readonly launch: Done | null;
  /** Issued less destroyed, as far as rows tell; null where they do not begin with the token. */
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
  /** The contract that made it for its deployer; null where he did it himself. */
  readonly factory: Address | null;
  readonly upgradeAuthority: Authority;
  readonly owner: Authority;
  readonly changes: readonly AuthorityChange[];
  readonly upgrades: readonly Upgrade[];
  readonly firstSeen: number | null;
  /** null where no calls of it are kept. */
  readonly topCallers: TopCallers | null;
};

/** A balance that its issuer froze and has not released. */
export type FrozenBalance = Done & {
  readonly asset: Asset;
  /** On Solana the token account. */
  readonly account: Address | null;
  readonly by: Address | null;
};
