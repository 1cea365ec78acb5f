import { createRandom, type Random } from '../../services/demo-world/random.ts';
import type { Address } from '../../services/investigate/model/address.ts';
import type { CaseTransfer } from './case-transfer.ts';
import type { FollowCase } from './follow-case.ts';

/** Money that came to an address and went on: the pattern of a stranger's passage. */
type Passage = { readonly inRaw: bigint; readonly outRaw: bigint; readonly delaySeconds: number };

/**
 * Strangers whose money passes through the case's addresses: for each true transfer `count` transfers in and out,
 * half at its sender and half at its receiver. Amounts, shares and delays are drawn from the case's own passages,
 * and times from its transfers, so only ownership tells them apart.
 */
export const drawDecoys = (
  { transfers }: Pick<FollowCase, 'transfers'>,
  count: number,
  random: Random,
): CaseTransfer[] => {
  const passages = attributeOutflows(transfers);
  const decoys: CaseTransfer[] = [];
  for (const [at, { from, to }] of transfers.entries()) {
    for (let number = 0; number < count; number += 2) {
      // Alternating over all of them: a passage is two transfers, so with two or six per transfer one side would
      // have more.
      const place = (at + number / 2) % 2 === 0 ? from : to;
      const passage = random.pick(passages);
      const timeUnixSeconds = drawTime(transfers, random);
      const stranger = (side: string): Address => `stranger ${side} ${at}-${number}`;
      decoys.push({
        timeUnixSeconds,
        txHash: `decoy-in-${at}-${number}`,
        from: stranger('from'),
        to: place,
        amountRaw: passage.inRaw,
      });
      if (number + 1 === count) continue;
      decoys.push({
        timeUnixSeconds: timeUnixSeconds + passage.delaySeconds,
        txHash: `decoy-out-${at}-${number}`,
        from: place,
        to: stranger('to'),
        amountRaw: passage.outRaw,
      });
    }
  }
  return decoys;
};

/**
 * Each transfer with the receiver's next one, if that is not larger: strangers cannot send what they did not get.
 * Without any such passage strangers pass everything on at once.
 */
const attributeOutflows = (transfers: readonly CaseTransfer[]): Passage[] => {
  const passages = transfers.flatMap(({ to, amountRaw: inRaw, timeUnixSeconds }, at) => {
    const out = transfers.slice(at + 1).find(({ from }) => from === to);
    if (out === undefined || out.amountRaw > inRaw) return [];
    return [{ inRaw, outRaw: out.amountRaw, delaySeconds: out.timeUnixSeconds - timeUnixSeconds }];
  });
  if (passages.length > 0) return passages;
  return transfers.map(({ amountRaw }) => ({ inRaw: amountRaw, outRaw: amountRaw, delaySeconds: 0 }));
};

/** At a random time between two consecutive transfers of the case. */
const drawTime = (transfers: readonly CaseTransfer[], random: Random): number => {
  const at = random.below(transfers.length);
  const low = transfers[at]?.timeUnixSeconds ?? 0;
  return random.between(low, transfers[at + 1]?.timeUnixSeconds ?? low);
};

export const DECOY_STYLES = ['single', 'recurring'] as const;
export type DecoyStyle = (typeof DECOY_STYLES)[number];

/** How many strangers share all decoys: each returns as often. */
const DECOYS_PER_STRANGER = 6;
/** The probability that a paid stranger pays on, and so on. */
const PAYS_ON = 0.75;

/** The same decoys by strangers who return at other wallets of the case and pay one another. */
const withRecurringStrangers = (
  decoys: readonly CaseTransfer[],
  { transfers }: Pick<FollowCase, 'transfers'>,
  random: Random,
): CaseTransfer[] => {
  const own = new Set(transfers.flatMap(({ from, to }) => [from, to]));
  const passages = attributeOutflows(transfers);
  const count = Math.max(2, Math.ceil(decoys.length / DECOYS_PER_STRANGER));
  const draw = (): Address => `stranger ${random.below(count)}`;
  const drawn = decoys.map((decoy) => ({
    ...decoy,
    from: own.has(decoy.from) ? decoy.from : draw(),
    to: own.has(decoy.to) ? decoy.to : draw(),
  }));
  const onward: CaseTransfer[] = [];
  for (const [at, decoy] of drawn.entries()) {
    let last: CaseTransfer = decoy;
    for (let hop = 0; !own.has(last.to) && random.chance(PAYS_ON); hop += 1) {
      const { inRaw, outRaw, delaySeconds } = random.pick(passages);
      last = {
        timeUnixSeconds: last.timeUnixSeconds + delaySeconds,
        txHash: `decoy-on-${at}-${hop}`,
        from: last.to,
        to: draw(),
        amountRaw: (last.amountRaw * outRaw) / inRaw,
      };
      if (last.from !== last.to && last.amountRaw > 0n) onward.push(last);
    }
  }
  return [...drawn, ...onward];
};

export type Drawing = { readonly decoys: number; readonly style: DecoyStyle; readonly seed: number };

export const drawStrangers = (
  stolen: Pick<FollowCase, 'transfers'>,
  { decoys, style, seed }: Drawing,
): CaseTransfer[] => {
  const random = createRandom(seed);
  const single = drawDecoys(stolen, decoys, random);
  return style === 'single' ? single : withRecurringStrangers(single, stolen, random);
};
