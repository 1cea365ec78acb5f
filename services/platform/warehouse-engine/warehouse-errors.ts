/** The folder belongs to a running engine of another process. */
export class WarehouseHeldError extends Error {
  readonly code = 'warehouse_held';
  readonly folder: string;
  readonly holderPid: number | null;

  constructor(folder: string, holderPid: number | null, options?: ErrorOptions) {
    const holder = holderPid === null ? 'another process' : `process ${holderPid}`;
    super(`the warehouse in ${folder} is held by ${holder}`, options);
    this.name = 'WarehouseHeldError';
    this.folder = folder;
    this.holderPid = holderPid;
  }
}

/** The ClickHouse server answers, but refuses the user something that is needed. Retrying does not help. */
export class WarehouseRefusedError extends Error {
  readonly code = 'warehouse_refused';

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'WarehouseRefusedError';
  }
}

/** The engine could not be started, or no running one was found. */
export class WarehouseUnavailableError extends Error {
  readonly code = 'warehouse_unavailable';

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'WarehouseUnavailableError';
  }
}
