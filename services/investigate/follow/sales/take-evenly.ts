/** The first of each list, then the second of each, until there are so many: a long list leaves out nothing of the short ones. */
export const takeEvenly = <T>(lists: readonly (readonly T[])[], most: number): T[] => {
  const taken: T[] = [];
  let left = lists;
  for (let at = 0; left.length > 0 && taken.length < most; at += 1) {
    left = left.filter((list) => at < list.length);
    for (const list of left) taken.push(...list.slice(at, at + 1));
  }
  return taken.slice(0, most);
};
