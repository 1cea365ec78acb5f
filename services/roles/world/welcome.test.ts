import { expect, test } from 'vitest';
import { welcome } from './welcome.ts';

const say = (access: {
  hasAccounts: boolean;
  takesPayments: boolean;
  isLocal?: boolean;
  hasSql?: boolean;
}): string =>
  welcome({
    url: 'http://127.0.0.1:8402',
    folder: '/data',
    world: null,
    isLocal: true,
    hasSql: true,
    ...access,
  });

test('the start says what a call needs: nothing, a payment, a key, or either', () => {
  const open = say({ hasAccounts: false, takesPayments: false });
  expect(open).toContain('calls need no key and cost nothing');
  expect(open).not.toContain('authorization');
  const paid = say({ hasAccounts: false, takesPayments: true });
  expect(paid).toContain('Calls are paid for one by one with x402');
  expect(paid).not.toMatch(/need a key|authorization/);
  expect(say({ hasAccounts: true, takesPayments: false })).toMatch(/authorization.*Calls need a key:/s);
  expect(say({ hasAccounts: true, takesPayments: true })).toContain('Calls need a key or a payment by x402');
});

test('the start warns where anybody on the network may call for nothing, and nowhere else', () => {
  const nothing = { hasAccounts: false, takesPayments: false };
  expect(say({ ...nothing, isLocal: false })).toMatch(/^WARNING: .*anybody/m);
  expect(say(nothing)).not.toContain('WARNING');
  expect(say({ ...nothing, hasAccounts: true, isLocal: false })).not.toContain('WARNING');
  expect(say({ ...nothing, takesPayments: true, isLocal: false })).not.toContain('WARNING');
});

test('the start says how the tables are asked where they are its own', () => {
  const access = { hasAccounts: false, takesPayments: false };
  expect(say(access)).toContain('npx spoor sql-login');
  expect(say({ ...access, hasSql: false })).not.toContain('sql-login');
});
