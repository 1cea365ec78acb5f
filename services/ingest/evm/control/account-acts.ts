import { toEventSelector } from 'viem/utils';
import type { AddressBook } from '../address-book.ts';
import type { Log } from '../read-log.ts';
import { type ControlDraft, type ControlLog, draft } from './control-log.ts';

/** ERC-4337: topic 2 is the smart account whose operation ran. */
const USER_OPERATION = toEventSelector(
  'UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)',
);
/**
 * Entry points of ERC-4337, equal on every chain; anybody else can log an operation of any address.
 * https://github.com/eth-infinitism/account-abstraction/releases, versions 0.6 to 0.9
 */
const ENTRY_POINTS: readonly string[] = [
  '0x5ff137d4b0fdcd49dca30c7cf57e578a026d2789',
  '0x0000000071727de22e5e9d8baf0edac6f37da032',
  '0x4337084d9e255ff0702461cf8895ce9e3b5ff108',
  '0x433709009b8330fda32311df1c2afa402ed8d009',
];

/** The account whose signed operation an entry point ran; null for any other log. */
export const smartAccountIn = ({ address, topics }: Log, addresses: AddressBook): string | null =>
  topics[0] === USER_OPERATION && ENTRY_POINTS.includes(address) ? addresses.ofWord(topics[2] ?? '') : null;

const actOf = (subject: string, emitter: string | null): ControlDraft =>
  draft({ kind: 'account_acted', subject, emitter, byHolder: true });

/** The wallet's own word. Whoever lets his contract say so falsely makes himself its owner. */
const byItself = ({ address }: Log): ControlDraft => actOf(address, null);

/** Accounts with code did what their owners had signed, whoever sent the transaction. */
export const accountActLogs: readonly ControlLog[] = [
  {
    topic: USER_OPERATION,
    read: (log, { addresses }) => {
      const account = smartAccountIn(log, addresses);
      return account === null ? null : actOf(account, log.address);
    },
  },
  // Safe: https://github.com/safe-global/safe-smart-account. Its modules log another event: no owner signs theirs.
  { topic: toEventSelector('ExecutionSuccess(bytes32,uint256)'), read: byItself },
  // MultiSigWallet of Gnosis and ConsenSys
  { topic: toEventSelector('Execution(uint256)'), read: byItself },
  // WalletSimple of BitGo
  { topic: toEventSelector('Transacted(address,address,bytes32,address,uint256,bytes)'), read: byItself },
];
