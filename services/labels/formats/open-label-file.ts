import { openPacked } from '../../platform/open-packed.ts';
import { type FormatOptions, type LabelFile, LabelFileError } from './label-format.ts';

const TEXT_BYTES_MAX = 256 << 20;

/** A list on disk, packed or not: what it begins with decides, not its name. */
export const openLabelFile = (path: string, options: FormatOptions = {}): LabelFile => {
  const open = () => openPacked(path);
  return {
    path,
    options,
    open,
    // Without a byte order mark, which no parser of JSON takes.
    text: async () => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      for await (const chunk of open()) {
        bytes += (chunk as Buffer).length;
        if (bytes > TEXT_BYTES_MAX) throw new LabelFileError(path, `is larger than ${TEXT_BYTES_MAX} bytes`);
        chunks.push(chunk as Buffer);
      }
      return new TextDecoder().decode(Buffer.concat(chunks));
    },
  };
};
