export type Environment = Readonly<Record<string, string | undefined>>;

type Problem = { readonly variable: string; readonly problem: string };

/** Unset and empty mean the same, because files of variables often contain empty ones. */
export const given = (env: Environment, name: string): string | undefined => env[name] || undefined;

/** Read by docker-compose.yml and by server users. An environment loaded from `.env` contains these, too. */
const ENGINE_PASSWORDS = /^SPOOR_CLICKHOUSE_(READER_|ANALYST_)?PASSWORD$/;

/** Read by commands that ask a running server. They are set beside the server's own, and mean nothing to it. */
const OF_CLIENTS = ['SPOOR_URL', 'SPOOR_KEY'];

/** Variables with our prefix that do not exist. */
export const findUnknownVariables = (env: Environment, known: readonly string[]): Problem[] =>
  Object.keys(env)
    .filter((name) => name.startsWith('SPOOR_') && ![...known, ...OF_CLIENTS].includes(name))
    .filter((name) => !ENGINE_PASSWORDS.test(name))
    .map((variable) => ({ variable, problem: `is not known; known are ${known.join(', ')}` }));

/**
 * Variables whose names are one typo away from an unset variable of an engine. Other programs have variables
 * with the same prefixes, so this is checked only when one of our engines is configured.
 */
export const findMisspeltVariables = (env: Environment, known: readonly string[]): Problem[] => {
  const missing = known.filter((name) => given(env, name) === undefined);
  if (missing.length === known.length) return [];
  return Object.keys(env).flatMap((variable) => {
    const meant = known.includes(variable) ? undefined : missing.find((name) => isOneSlip(variable, name));
    return meant === undefined ? [] : [{ variable, problem: `is not known; ${meant} is, and is not set` }];
  });
};

/** One letter missing, added, replaced, or two neighbours swapped. */
const isOneSlip = (written: string, meant: string): boolean => {
  let at = 0;
  while (at < meant.length && written[at] === meant[at]) at += 1;
  const [is, should] = [written.slice(at), meant.slice(at)];
  const swapped = `${should[1]}${should[0]}${should.slice(2)}`;
  return [should, should.slice(1)].includes(is.slice(1)) || is === should.slice(1) || is === swapped;
};
