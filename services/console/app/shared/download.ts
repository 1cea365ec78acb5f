/** Gives the reader a file, made here: nothing leaves the page. */
export const download = (name: string, type: string, contents: string | Blob): void => {
  const url = URL.createObjectURL(contents instanceof Blob ? contents : new Blob([contents], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
};
