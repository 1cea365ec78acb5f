/** Requests with some equal fields, with their indexes in the list. */
export type Group<Request> = { readonly places: readonly number[]; readonly requests: readonly Request[] };

export const groupRequests = <Request>(
  requests: readonly Request[],
  keyOf: (request: Request) => readonly unknown[],
): Group<Request>[] => {
  const groups = Map.groupBy(requests.keys(), (at) => JSON.stringify(keyOf(requests[at] as Request)));
  return [...groups.values()].map((places) => ({
    places,
    requests: places.map((at) => requests[at] as Request),
  }));
};

/** Answers each group separately, one after the other. Returns the answers in the order of the requests. */
export const answerGroups = async <Request, Answer>(
  requests: readonly Request[],
  keyOf: (request: Request) => readonly unknown[],
  answer: (requests: readonly Request[]) => Promise<readonly Answer[]>,
): Promise<readonly Answer[]> => {
  const answers: Answer[] = new Array(requests.length);
  for (const { places, requests: group } of groupRequests(requests, keyOf)) {
    const found = await answer(group);
    for (const [index, place] of places.entries()) answers[place] = found[index] as Answer;
  }
  return answers;
};
