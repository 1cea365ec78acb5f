/** Whether each "%" in a piece of a URL begins an escape: what is told in it can then be read. */
export const canDecode = (text: string): boolean => {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
};
