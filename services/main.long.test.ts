import { testKilledStarts } from './main.fault.ts';
import { urlOf } from './testing/service/running-service.ts';
import { readOffsets, startWorld, stopWorld, sumsOf, warehouseOf } from './testing/service/served-world.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

const runUndisturbed = async () => {
  const folder = temporaryFolder();
  const server = startWorld(folder);
  await urlOf(server);
  await stopWorld(server);
  return { sums: await sumsOf(warehouseOf(folder)), offsets: await readOffsets(folder) };
};

testKilledStarts([150, 500, 900, 1_300, 1_900, 2_600, 5_000, 3_600, 4_300], runUndisturbed);
