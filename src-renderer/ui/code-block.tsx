import type { ReactElement } from 'react';
import { CopyButton } from './copy-button.tsx';
import styles from './shared.module.css';

/** Shows text that the owner copies as a whole, with a copy button. */
export function CodeBlock({ text, what }: { text: string; what: string }): ReactElement {
  return (
    <div className={styles.codeBlock}>
      <pre className={styles.code} tabIndex={0} aria-label={what}>
        {text.split('\n').map((line, index) => (
          <span key={index} className={styles.codeLine}>
            {`${line}\n`}
          </span>
        ))}
      </pre>
      <CopyButton value={text} what={what} />
    </div>
  );
}
