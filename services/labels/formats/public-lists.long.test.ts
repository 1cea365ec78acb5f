import { testEveryRow } from '../../testing/labels/public-lists.ts';
import { describeWithSharedData } from '../../testing/shared-data.ts';

describeWithSharedData('public lists of labels', () => {
  testEveryRow((rows) => rows >= 1_000);
});
