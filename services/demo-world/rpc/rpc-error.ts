/** An error in a JSON-RPC answer, with real nodes' codes. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export const methodNotFound = (method: string): RpcError =>
  new RpcError(-32_601, `Method not found: ${method}`);

export const invalidParameters = (message: string): RpcError => new RpcError(-32_602, message);
