import type { ReactElement } from 'react';
import { useAnswer } from './client/queries.ts';
import shell from './shell.module.css';
import { demoWords } from './words.ts';

/** Tells the visitor on every screen that this is a demo. */
export function DemoBar(): ReactElement | null {
  const status = useAnswer('status.get', {});
  if (status.data?.demo !== true) return null;
  return (
    <aside className={shell.demo} aria-label={demoWords.name}>
      {demoWords.text}
    </aside>
  );
}
