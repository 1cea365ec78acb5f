/** The error of `fetch` names neither the server nor a remedy. */
export const explainSilence =
  (url: URL) =>
  (error: unknown): never => {
    if (!(error instanceof TypeError) || error.cause === undefined) throw error;
    const message = `No server answers at ${url.origin}. Start one (spoor start), or name another by --url or SPOOR_URL.`;
    throw Object.assign(new Error(message, { cause: error }), { code: 'NO_SERVER' });
  };
