/** The truth of the generated world: one line of `truth.jsonl` each. README.md describes the types. */
export type TruthLine =
  | CaseTruth
  | {
      type: 'world';
      seed: number;
      people: number;
      days: number;
      start: number;
      end: number;
    }
  | {
      type: 'owner';
      owner: string;
      kind: string;
      wallets: { chain: string; address: string }[];
    }
  | { type: 'label'; chain: string; address: string; name: string; kind: string; known: boolean }
  | { type: 'asset'; chain: string; asset: string; symbol: string; decimals: number; counterfeit: boolean }
  | {
      type: 'deposit_address';
      chain: string;
      address: string;
      exchange: string;
      owner: string;
      sweeps: number;
    }
  | {
      type: 'mixer_link';
      chain: string;
      mixer: string;
      pool: string;
      owner: string;
      deposit: Anchor;
      withdrawal: Anchor;
      /** Families of evidence that the owner left; `['none']` if there is only time and amount. */
      evidence: string[];
      relayed: boolean;
      /** Deposits into this pool in the same sitting. */
      session_deposits: number;
      /** Withdrawals from the pool in the 24 hours after the deposit; this one may be later. */
      anonymity_set: number;
    }
  | {
      type: 'exchange_link';
      via: 'exchange' | 'instant_swap';
      entity: string;
      owner: string;
      deposit: Anchor;
      withdrawal: Anchor;
    }
  | {
      type: 'trail';
      chain: string;
      start: string;
      asset: string;
      since: number;
      /** Wallets in order without the start; a service at the end is the last one. */
      hops: string[];
      /** `accept`: other right ends, such as the hot wallet behind a deposit address. */
      end: { address: string; reason: string; accept: string[] };
      owner: string;
    }
  | {
      type: 'flow';
      chain: string;
      asset: string;
      owner: string;
      starts: { address: string; since: number; amount_raw: string }[];
      /** Every payment of the stolen money, in time order. */
      edges: { from: string; to: string; amount_raw: string; tx: string; time: number }[];
      ends: { address: string; reason: string }[];
    }
  | {
      type: 'fate';
      chain: string;
      asset: string;
      start: string;
      /** Who paid the start what was stolen. */
      victim: string;
      amount_raw: string;
      /** Raw units of it, by outcome. */
      outcomes: Record<string, string>;
    }
  | { type: 'lookalike'; chain: string; address: string; of: string; victim: string; tx: string }
  | {
      type: 'launch';
      chain: string;
      token: string;
      tx: string;
      time: number;
      creator: string;
      insiders: { address: string; kinds: string[] }[];
      bystanders: string[];
    }
  | {
      type: 'drainer';
      chain: string;
      address: string;
      wallets: string[];
      affiliates: string[];
      victims: {
        address: string;
        asset: string;
        amount_raw: string;
        tx: string;
        time: number;
        method: string;
      }[];
      /** Permissions of the drainer's hands that are open at the end of the world. */
      open: {
        kind: 'allowance' | 'delegate' | 'authority';
        holder: string;
        hand: string;
        /** null: the wallet itself was handed over. */
        asset: string | null;
      }[];
    }
  | { type: 'bridge_link'; from: Anchor; to: Anchor; owner: string; bridge: string }
  | { type: 'price'; chain: string; asset: string; time: number; usd: number };

/**
 * What a profile of a planted address must say. Exposure: the share of each kind of party; the rest is
 * unattributed.
 */
export type CaseTruth = {
  type: 'case';
  chain: string;
  address: string;
  name: string;
  identity: string;
  /** The risk level; null: not graded. */
  level: string | null;
  behaviours: string[];
  exposure: { in: Record<string, number> | null; out: Record<string, number> | null };
  control?: ControlTruth;
};

/** What control events of the address must tell: a frozen wallet, a token or a program. */
export type ControlTruth =
  | { of: 'freeze'; asset: string; tx: string }
  | { of: 'token'; creator: string; minter: string; before: string }
  | { of: 'program'; deployer: string; authority: string; upgrades: number; calls: number };

/** One transfer of one wallet, as a /trace request names it. */
export type Anchor = {
  chain: string;
  tx: string;
  wallet: string;
  time: number;
  asset: string;
  amount_raw: string;
};

export type TruthLog = {
  readonly line: (line: TruthLine) => void;
  readonly own: (owner: string, kind: string, chain: string, address: string) => void;
  readonly label: (chain: string, address: string, name: string, kind: string, known: boolean) => void;
  /** Runs at the end of the world, for lines that depend on later events. */
  readonly atEnd: (run: () => void) => void;
  readonly finish: () => void;
};

export const createTruthLog = (sink: (line: TruthLine) => void): TruthLog => {
  const owners = new Map<string, { kind: string; wallets: { chain: string; address: string }[] }>();
  const endings: (() => void)[] = [];
  return {
    line: sink,
    own: (owner, kind, chain, address) => {
      const known = owners.get(owner);
      if (known === undefined) owners.set(owner, { kind, wallets: [{ chain, address }] });
      else known.wallets.push({ chain, address });
    },
    label: (chain, address, name, kind, known) => sink({ type: 'label', chain, address, name, kind, known }),
    atEnd: (run) => {
      endings.push(run);
    },
    finish: () => {
      for (const run of endings) run();
      for (const [owner, { kind, wallets }] of owners) sink({ type: 'owner', owner, kind, wallets });
    },
  };
};
