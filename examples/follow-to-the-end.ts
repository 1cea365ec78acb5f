// Follows money past swaps and bridges: npx node examples/follow-to-the-end.ts ADDRESS
import { createSpoor } from '../services/sdk/create-spoor.ts';
import { followOn } from '../services/sdk/follow-on.ts';

const spoor = createSpoor({ url: process.env.SPOOR_URL ?? 'http://127.0.0.1:8402' });
const [address = ''] = process.argv.slice(2);

for await (const { hops, end } of followOn(spoor, { address })) {
  for (const hop of hops)
    console.log(`${hop.from} → ${hop.to}: ${hop.amount} ${hop.symbol} (${hop.signature})`);
  console.log(`${end.reason}: ${end.detail}`);
}
