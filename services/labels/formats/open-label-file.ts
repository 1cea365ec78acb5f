import { openPacked } from '../../platform/open-packed.ts';
import { type FormatOptions, type LabelFile, LabelFileError } from './label-format.ts';

const TEXT_BYTES_MAX = 256 << 20;

/** Opens a list. Its first bytes, not its name, tell whether it is packed. */
export const openLabelFile = (path: string, options: FormatOptions = {}): LabelFile => {
  const open = () => openPacked(path);
  return {
    path,
    options,
    open,
    // Without a byte order mark, which JSON parsers refuse.
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
