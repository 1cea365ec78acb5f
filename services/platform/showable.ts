const SHOWN_MAX = 200;

/** What somebody else wrote, fit for a terminal, which takes some characters for orders; cut at 200. */
export const showable = (text: string): string =>
  text.slice(0, SHOWN_MAX).replaceAll(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, '?');
