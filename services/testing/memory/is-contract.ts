import type { DecodedBlock } from '../../investigate/model/block.ts';

/** Whether code was seen there that is not a key's or its owners'. */
export const isContract = (
  blocks: readonly DecodedBlock[],
  { chain, address }: { readonly chain: string; readonly address: string },
): boolean => {
  const kinds = blocks
    .filter((block) => block.chain === chain)
    .flatMap(({ controlEvents }) => controlEvents.filter(({ subject }) => subject === address))
    .map(({ kind }) => kind);
  const has = (...some: readonly string[]): boolean => kinds.some((kind) => some.includes(kind));
  return has('contract_created', 'calls') && !has('code_delegated', 'account_acted');
};
