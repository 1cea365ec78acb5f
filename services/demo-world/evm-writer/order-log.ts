import { bytesToHex, encodeAbiParameters, toEventSelector } from 'viem/utils';
import { CREATED_ORDER, FULFILLED_ORDER } from '../../ingest/evm/bridges/debridge.ts';
import { addressBytes, debridgeNumber, orderId, tokenBytes } from '../order-bytes.ts';
import type { Call, Order } from '../writer.ts';
import type { Log } from './frames.ts';

const toStruct = ({ nonce, maker, give, take, receiver }: Order) => {
  const [makerSrc, receiverDst] = [bytesToHex(addressBytes(maker)), bytesToHex(addressBytes(receiver))];
  return {
    makerOrderNonce: nonce,
    makerSrc,
    giveChainId: debridgeNumber(give.chain),
    giveTokenAddress: bytesToHex(tokenBytes(give)),
    giveAmount: give.amountRaw,
    takeChainId: debridgeNumber(take.chain),
    takeTokenAddress: bytesToHex(tokenBytes(take)),
    takeAmount: take.amountRaw,
    receiverDst,
    givePatchAuthoritySrc: makerSrc,
    orderAuthorityAddressDst: receiverDst,
    allowedTakerDst: '0x',
    allowedCancelBeneficiarySrc: '0x',
    externalCall: '0x',
  } as const;
};

/** What deBridge's contract logs of an order. `solver`: who fulfils it. */
export const orderLog = (contract: string, solver: string, told: NonNullable<Call['order']>): Log => {
  const [order, id] = [toStruct(told.order), bytesToHex(orderId(told.order))];
  const by = bytesToHex(addressBytes(solver));
  if (told.is === 'created') {
    const data = encodeAbiParameters(CREATED_ORDER.inputs, [order, id, '0x', 0n, 0n, 0, '0x']);
    return { address: contract, topics: [toEventSelector(CREATED_ORDER)], data };
  }
  const data = encodeAbiParameters(FULFILLED_ORDER.inputs, [order, id, by, by]);
  return { address: contract, topics: [toEventSelector(FULFILLED_ORDER)], data };
};
