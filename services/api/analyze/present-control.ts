import type {
  Authority,
  AuthorityChange,
  Done,
  FrozenBalance,
  Holder,
  Maker,
  ProgramProfile,
  TokenProfile,
} from '../../investigate/analyze/control/control-profile.ts';
import type { Address } from '../../investigate/model/address.ts';
import type { Label } from '../../investigate/model/label.ts';
import type { View } from './view.ts';

const presentDone = ({ signature, time, block }: Done) => ({ signature, time, block });
const presentName = (label: Label | null) => label && { name: label.name, kind: label.kind };
const orNull = (view: View, address: Address | null) => (address === null ? null : view.address(address));

const presentMaker = (view: View, maker: Maker) => ({
  address: view.address(maker.address),
  label: presentName(maker.label),
  ...presentDone(maker),
});

const presentAuthority = (view: View, { status, address, since }: Authority) => ({
  status,
  address: orNull(view, address),
  since: since && presentDone(since),
});

const presentChange = (view: View, { role, from, to, ...done }: AuthorityChange) => ({
  role,
  from: orNull(view, from),
  to: orNull(view, to),
  ...presentDone(done),
});

const presentHolder = (view: View, token: Address, { address, amountRaw, share, label }: Holder) => ({
  address: view.address(address),
  label: presentName(label),
  ...view.amountOf(token, amountRaw),
  share,
});

export const presentToken = (view: View, token: Address, told: TokenProfile) => {
  const funder = told.creatorFunding?.steps[0];
  return {
    creator: told.creator && {
      ...presentMaker(view, told.creator),
      inferred: told.creator.isInferred,
    },
    creator_funder: funder
      ? { address: view.address(funder.funder), label: presentName(funder.label) }
      : null,
    launch: told.launch && presentDone(told.launch),
    supply: told.supplyRaw === null ? null : view.amountOf(token, told.supplyRaw),
    metadata: told.metadata,
    mint_authority: presentAuthority(view, told.mintAuthority),
    freeze_authority: presentAuthority(view, told.freezeAuthority),
    metadata_authority: presentAuthority(view, told.metadataAuthority),
    changes: told.changes.map((change) => presentChange(view, change)),
    holders: told.holders,
    holders_top: told.top.map((holder) => presentHolder(view, token, holder)),
    red_flags: told.redFlags,
  };
};

export const presentProgram = (view: View, told: ProgramProfile) => ({
  deployer: told.deployer && presentMaker(view, told.deployer),
  factory: orNull(view, told.factory),
  upgrade_authority: presentAuthority(view, told.upgradeAuthority),
  owner: presentAuthority(view, told.owner),
  changes: told.changes.map((change) => presentChange(view, change)),
  upgrades: told.upgrades.map(({ implementation, ...done }) => ({
    implementation: orNull(view, implementation),
    ...presentDone(done),
  })),
  first_seen: told.firstSeen,
  top_callers: told.topCallers && {
    callers: told.topCallers.callers.map(({ caller, calls, signature, latest }) => ({
      address: view.address(caller),
      calls: Number(calls),
      latest: { signature, time: latest.blockTime },
    })),
    calls: Number(told.topCallers.calls),
    unnamed_calls: Number(told.topCallers.unnamedCalls),
    since: told.topCallers.sinceUnixSeconds,
    complete: !told.topCallers.isCut,
  },
});

export const presentFrozen = (view: View, { asset, account, by, ...done }: FrozenBalance) => ({
  asset: view.asset(asset),
  account: orNull(view, account),
  by: orNull(view, by),
  ...presentDone(done),
});
