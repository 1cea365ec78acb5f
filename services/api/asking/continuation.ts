import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';

/** A call that goes on: the first call and who paid for it. */
export type Continued = {
  /** Of the first call. */
  readonly callId: string;
  /** An account, or whoever sends the text: a payment names nobody who could be asked for a proof. */
  readonly payer: string;
  /** Whether the first call was charged. */
  readonly isCharged: boolean;
  readonly untilUnixMs: number;
};

export const BEARER = 'bearer';

export type Continuations = {
  /** The text that continues this call, for this request only. */
  seal(call: Continued, requestHash: string): string;
  /** null if it was not made here for this request. */
  open(text: string, requestHash: string): Continued | null;
};

const SEALED = /^([\w-]{1,400})\.([\w-]{43})$/;
const content = z.strictObject({
  callId: z.string(),
  payer: z.string(),
  isCharged: z.boolean(),
  untilUnixMs: z.number(),
});

/** Nothing is stored: the text holds the call, and the seal binds it to its request. */
export const createContinuations = (secret: Uint8Array): Continuations => {
  const sealOf = (told: string, requestHash: string): Buffer =>
    createHmac('sha256', secret)
      .update(JSON.stringify([told, requestHash]))
      .digest();
  return {
    seal: (call, requestHash) => {
      const told = Buffer.from(JSON.stringify(call)).toString('base64url');
      return `${told}.${sealOf(told, requestHash).toString('base64url')}`;
    },
    open: (text, requestHash) => {
      const [, told, seal] = SEALED.exec(text) ?? [];
      if (told === undefined || seal === undefined) return null;
      const sent = Buffer.from(seal, 'base64url');
      const expected = sealOf(told, requestHash);
      if (sent.length !== expected.length || !timingSafeEqual(sent, expected)) return null;
      return content.parse(JSON.parse(Buffer.from(told, 'base64url').toString('utf8')));
    },
  };
};
