import { openPaidApi } from './paid-world.ts';

/** An API that takes payments, in a process of its own that a test kills. Its first piece of work never ends. */
const { world, limits } = JSON.parse(process.env.PAID_API ?? '{}') as {
  world: Parameters<typeof openPaidApi>[0];
  limits: object;
};
const api = await openPaidApi(world, { limits });
api.beforeWork(async () => {
  process.stdout.write('working\n');
  if (api.worked() === 1) await new Promise<never>(() => {});
});
process.stdout.write(`listening ${api.url}\n`);
