import { describe } from 'vitest';
import { testAppending } from './contract/appending.ts';
import { testCommitting } from './contract/committing.ts';
import { testConsuming } from './contract/consuming.ts';
import type { EventLogEngine } from './contract/engine.ts';
import { testJoining } from './contract/joining.ts';
import { testAgainstModel } from './contract/modelled.ts';
import { testReading } from './contract/reading.ts';

/**
 * All that the port promises while no process is killed; `event-log.faults.ts` has the rest. Every engine passes both.
 * `modelRuns`: how many random histories are compared with a plain list; each has a log of its own.
 */
export const describeEventLog = (name: string, engine: EventLogEngine, { modelRuns = 40 } = {}): void => {
  describe(`${name}: appending`, () => testAppending(engine));
  describe(`${name}: reading`, () => testReading(engine));
  describe(`${name}: consuming`, () => testConsuming(engine));
  describe(`${name}: committing`, () => testCommitting(engine));
  describe(`${name}: joining a group`, () => testJoining(engine));
  describe(`${name}: against a model`, () => testAgainstModel(engine, modelRuns));
};
