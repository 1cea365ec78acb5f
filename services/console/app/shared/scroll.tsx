import type { ReactNode } from 'react';

/** Scrolls what is wider than the screen, also by keyboard. */
export const Scroll = ({ name, children }: { name: string; children: ReactNode }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: without it a keyboard could not scroll
  <section className="scroll" aria-label={name} tabIndex={0}>
    {children}
  </section>
);
