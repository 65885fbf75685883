import { VisuallyHidden } from '@mantine/core';
import type { ReactElement } from 'react';
import { welcomeSteps, type WelcomeStep } from '../../routes.ts';
import styles from './welcome.module.css';

const words: Record<WelcomeStep, string> = {
  who: 'Who you are',
  reach: 'Your address',
  links: 'Your site',
  done: 'Done',
};

/** How far the set-up has come, in words. */
export function Steps({ current }: { current: WelcomeStep }): ReactElement {
  const at = welcomeSteps.indexOf(current);
  return (
    <ol className={styles.steps} aria-label="Steps of the set-up">
      {welcomeSteps.map((step, index) => (
        <li key={step} className={styles.step} aria-current={step === current ? 'step' : undefined}>
          <span className={styles.number} aria-hidden="true">
            {index + 1}
          </span>
          {words[step]}
          {index < at && <VisuallyHidden> (behind you)</VisuallyHidden>}
        </li>
      ))}
    </ol>
  );
}
