/** `1 victim`, `2 victims`, `1,024 addresses` */
export const countOf = (count: number, one: string, more = `${one}s`): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : more}`;
