import type { TransactionPosition } from '../../model/transfer-reader.ts';

export type Behaviour = {
  readonly name: BehaviourName;
  readonly confidence: number;
  readonly severity: Severity;
  readonly detail: string;
  readonly examples: readonly TransactionPosition[];
};

export const SEVERITIES = ['info', 'low', 'medium', 'high', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

export const BEHAVIOUR_NAMES = [
  'fresh',
  'sleeper',
  'pass_through',
  'fan_in',
  'fan_out',
  'wash_loop',
  'bot',
  'exchange_like',
  'deposit_address',
  'bridge_hopper',
  'mixer_user',
  'poisoner',
  'poisoned',
  'drainer',
  'drainer_partner',
  'emptied',
] as const;
export type BehaviourName = (typeof BEHAVIOUR_NAMES)[number];
