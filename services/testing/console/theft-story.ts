import type { DecodedBlock } from '../../investigate/model/block.ts';
import type { Label } from '../../investigate/model/label.ts';
import { move, tellStory } from '../chain-story.ts';

const ETHER = 10n ** 18n;
const wallet = (number: number): string => `0xcc${number.toString(16).padStart(38, '0')}`;

const hash = (number: number): string => `0x${number.toString(16).padStart(64, '0')}`;

/** The first payment of the thief. */
export const FIRST_HASH = hash(0x1);
export const THIEF = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
const HELPER = '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359';
export const COURIER = '0xd1220a0cf47c7b9be7a2e6ba89f429762e7b9adb';
const [GATE, FAR_GATE, SHOP, FAR_SHOP] = [wallet(1), wallet(2), wallet(3), wallet(4)] as const;

/** A name by which an attacker would like to run a script and to turn the text around it. */
export const POISON = '<img src=x onerror="document.title=1">\u202Eelbon';

/** Ends of wallets that a payer spread money to. */
const SPREAD = 80;

/** A theft on Ethereum: part goes to an exchange, part over a bridge to Base, part is spread over many wallets. */
export const theftStory = (): readonly DecodedBlock[] => [
  ...tellStory('ethereum', [
    { time: 1_000, hash: hash(0x1), moves: [move(THIEF, HELPER, 60n * ETHER)] },
    { time: 1_100, hash: hash(0x2), moves: [move(THIEF, COURIER, 25n * ETHER)] },
    { time: 1_150, hash: hash(0x5), moves: [move(THIEF, COURIER, 15n * ETHER)] },
    { time: 1_200, hash: hash(0x3), moves: [move(HELPER, SHOP, 30n * ETHER)] },
    { time: 1_300, hash: hash(0x4), moves: [move(HELPER, GATE, 20n * ETHER)] },
    ...Array.from({ length: SPREAD }, (_, at) => ({
      time: 2_000 + at,
      hash: hash(0x1000 + at),
      moves: [move(COURIER, wallet(100 + at), (ETHER * BigInt(100 + at)) / 400n)],
    })),
  ]),
  ...tellStory('base', [
    { time: 1_500, hash: hash(0xf), moves: [move(FAR_GATE, HELPER, 20n * ETHER)] },
    { time: 1_600, hash: hash(0x10), moves: [move(HELPER, FAR_SHOP, 20n * ETHER)] },
  ]),
];

export const THEFT_LABELS: ReadonlyMap<string, Label> = new Map([
  [GATE, { name: 'Gate', kind: 'bridge' }],
  [FAR_GATE, { name: 'Gate', kind: 'bridge' }],
  [SHOP, { name: POISON, kind: 'exchange' }],
  [FAR_SHOP, { name: 'Far shop', kind: 'exchange' }],
] as const);
