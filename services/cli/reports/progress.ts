import { showableLine } from '../../platform/showable.ts';

/** Progress of long work on stderr: one updated line on a terminal, a line every few seconds elsewhere. */
export type Progress = {
  update(line: string): void;
  /** A permanent line above the moving one, without terminal control characters. */
  note(line: string): void;
  end(): void;
};

type Output = Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns'>;

const EVERY_MS = { terminal: 100, elsewhere: 5_000 };

export const startProgress = (output: Output, now: () => number): Progress => {
  const terminal = output.isTTY === true;
  const everyMs = terminal ? EVERY_MS.terminal : EVERY_MS.elsewhere;
  let lastMs = Number.NEGATIVE_INFINITY;
  let shown = '';

  const clear = (): void => {
    if (terminal && shown !== '') output.write('\r\u001b[2K');
  };
  return {
    update: (line) => {
      if (now() - lastMs < everyMs) return;
      lastMs = now();
      clear();
      shown = terminal ? line.slice(0, (output.columns || 80) - 1) : line;
      output.write(terminal ? shown : `${shown}\n`);
    },
    note: (line) => {
      clear();
      output.write(`${showableLine(line)}\n`);
      if (terminal) output.write(shown);
    },
    end: () => {
      clear();
      shown = '';
    },
  };
};

/** `3 m 20 s`, `12 s`: a readable remaining time. */
export const duration = (seconds: number): string => {
  if (!Number.isFinite(seconds)) return '?';
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3_600) return `${Math.floor(whole / 60)} m ${whole % 60} s`;
  return `${Math.floor(whole / 3_600)} h ${Math.floor((whole % 3_600) / 60)} m`;
};

export const bar = (share: number, width = 20): string => {
  const filled = Math.round(Math.min(1, Math.max(0, share)) * width);
  return `[${'#'.repeat(filled)}${'.'.repeat(width - filled)}]`;
};
