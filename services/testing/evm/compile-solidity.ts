import { readFileSync } from 'node:fs';
import solc from 'solc';
import type { Hex } from 'viem';

type Compiled = {
  readonly contracts: {
    readonly file: Readonly<Record<string, { evm: { deployedBytecode: { object: string } } }>>;
  };
};

/** The code of a contract of a file in this folder, as it lies on chain. */
export const compileSolidity = (file: string): ((contract: string) => Hex) => {
  const content = readFileSync(new URL(file, import.meta.url), 'utf8');
  const input = {
    language: 'Solidity',
    sources: { file: { content } },
    settings: {
      optimizer: { enabled: true },
      outputSelection: { '*': { '*': ['evm.deployedBytecode.object'] } },
    },
  };
  const { contracts } = JSON.parse(solc.compile(JSON.stringify(input))) as Compiled;
  return (contract) => `0x${contracts.file[contract]?.evm.deployedBytecode.object ?? ''}`;
};
