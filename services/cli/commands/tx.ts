import type { Command } from 'commander';
import { askCommand } from '../questions/ask-command.ts';
import { chainOption } from '../questions/chain-option.ts';
import { transactionQuestion } from '../questions/transaction-question.ts';

/** `spoor tx HASH`: what a transaction moved. */
export const txCommand = (): Command =>
  askCommand({ ...transactionQuestion, addOptions: (command) => command.addOption(chainOption()) });
