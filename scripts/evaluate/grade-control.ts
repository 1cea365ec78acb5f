import type { CaseTruth, ControlTruth } from '../../services/demo-world/truth.ts';
import type { Profile } from '../../services/investigate/analyze/profile.ts';

/** For every case with a known creator or authority: whether the profile tells it. */
export const gradeControl = (profiles: ReadonlyMap<string, Profile>, cases: readonly CaseTruth[]) =>
  cases.flatMap(({ chain, address, name, control }) => {
    const key = `${chain} ${address}`;
    const profile = profiles.get(key);
    if (control === undefined || profile === undefined) return [];
    return [{ key, isRight: isTold(profile, control), group: `control events of a ${name} are not told` }];
  });

const isTold = ({ chain, frozen, token, program }: Profile, truth: ControlTruth): boolean => {
  if (truth.of === 'freeze')
    return frozen?.some(({ asset, signature }) => asset === truth.asset && signature === truth.tx) ?? false;
  if (truth.of === 'token') {
    const role = chain.family === 'solana' ? 'mint' : 'owner';
    const handed = token?.changes.some(
      (change) => change.role === role && change.from === truth.before && change.to === truth.minter,
    );
    const isHeld = chain.family !== 'solana' || token?.mintAuthority.address === truth.minter;
    return token?.creator?.address === truth.creator && handed === true && isHeld;
  }
  const authority = program?.upgradeAuthority.address ?? program?.owner.address;
  return (
    program?.deployer?.address === truth.deployer &&
    authority === truth.authority &&
    program.upgrades.length === truth.upgrades &&
    Number(program.topCallers?.calls ?? 0) === truth.calls
  );
};
