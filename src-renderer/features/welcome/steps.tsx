import { Text, VisuallyHidden } from '@mantine/core';
import type { ReactElement } from 'react';
import type { WelcomeStep } from '../../routes.ts';
import styles from './welcome.module.css';
import { stepNames, wizardWords } from './words.ts';

interface Props {
  readonly steps: readonly WelcomeStep[];
  readonly current: WelcomeStep;
  /** Every check has passed. */
  readonly finished: boolean;
}

/** How far the set-up is, as "Step 2 of 4" and as a list of all steps. */
export function Steps({ steps, current, finished }: Props): ReactElement {
  const at = steps.indexOf(current);
  return (
    <div className={styles.progress}>
      <Text size="sm" fw={600}>
        {wizardWords.progress(at + 1, steps.length)}
      </Text>
      <ol className={styles.steps} aria-label={wizardWords.list}>
        {steps.map((step, index) => (
          <li key={step} className={styles.step} aria-current={step === current ? 'step' : undefined}>
            <span className={styles.number} aria-hidden="true">
              {index + 1}
            </span>
            {step === 'done' && finished ? wizardWords.finished : stepNames[step]}
            {index < at && <VisuallyHidden>{wizardWords.passed}</VisuallyHidden>}
          </li>
        ))}
      </ol>
    </div>
  );
}
