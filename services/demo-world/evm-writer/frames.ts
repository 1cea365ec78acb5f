/** One call of a `callTracer` trace. */
export type Frame = {
  from: string;
  gas: string;
  gasUsed: string;
  to: string;
  input: string;
  output?: string;
  error?: string;
  calls?: Frame[];
  value: string;
  type: 'CALL' | 'CREATE';
};

export type Log = { readonly address: string; readonly topics: readonly string[]; readonly data: string };

export const newFrame = (from: string, to: string, value: bigint, input: string): Frame => ({
  from,
  gas: '0x493e0',
  gasUsed: input === '0x' ? '0x5208' : '0x7d00',
  to,
  input,
  value: `0x${value.toString(16)}`,
  type: 'CALL',
});

export const addFrame = (parent: Frame, child: Frame): Frame => {
  parent.calls = [...(parent.calls ?? []), child];
  return child;
};
