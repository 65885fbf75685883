import { Text, VisuallyHidden } from '@mantine/core';
import { useEffect, useRef, useState, type ReactElement } from 'react';
import type { Screen } from '../../../src-main/contract/window.ts';
import type { SelfTest } from '../../../src-main/contract/reach.ts';
import { useAnswer } from '../../client/queries.ts';
import { goToWelcome, noteWebsite, useHasNoWebsite, welcomeSteps, type WelcomeStep } from '../../routes.ts';
import { IconCheck } from '../../ui/icons.ts';
import { pageTitleId } from '../../ui/page.tsx';
import { isOwnPage } from '../setup/own-page.ts';
import { DoneStep } from './done-step.tsx';
import { LinksStep } from './links-step.tsx';
import { ReachStep } from './reach-step.tsx';
import { Welcome } from './welcome.tsx';
import styles from './welcome.module.css';
import { stepNames, wizardWords } from './words.ts';

interface Props {
  readonly step: WelcomeStep;
  /** The owner leaves the set-up for a screen. */
  readonly onLeave: (screen: Screen) => void;
  /** The owner restores a backup instead. */
  readonly onRestore: () => void;
}

/** The set-up, one step at a time. Each step saves what is complete, so the owner can stop anywhere. */
export function Wizard({ step: asked, onLeave, onRestore }: Props): ReactElement {
  const me = useAnswer('settings.get', {}).data?.profile.me ?? null;
  const base = useAnswer('status.get', {}).data?.baseUrl;
  const [tested, setTested] = useState<SelfTest | null>(null);
  const isHome = useHasNoWebsite() || isOwnPage(me, base);
  // A website is what the lines are for.
  const steps: readonly WelcomeStep[] = isHome
    ? welcomeSteps.filter((step) => step !== 'links')
    : welcomeSteps;
  const step = steps.includes(asked) ? asked : 'done';
  const at = steps.indexOf(step);
  const finished =
    tested !== null && tested.base === base && tested.findings.every(({ level }) => level !== 'fail');
  useFocusOnStep(step);

  const goBy = (by: number) => () => {
    const next = steps[at + by];
    if (next === undefined) onLeave('overview');
    else goToWelcome(next, isHome);
  };
  const ways = { onBack: goBy(-1), onNext: goBy(1) };
  return (
    <>
      <title>{wizardWords.pageTitle(at + 1, steps.length)}</title>
      <Steps steps={steps} current={step} finished={finished} />
      {step === 'who' && (
        <Welcome
          isHome={isHome}
          onChoose={noteWebsite}
          onStart={() => goToWelcome('who', false)}
          onDone={(withoutWebsite) => goToWelcome('reach', withoutWebsite)}
          onRestore={onRestore}
        />
      )}
      {step === 'reach' && <ReachStep isHome={isHome} {...ways} />}
      {step === 'links' && <LinksStep {...ways} />}
      {step === 'done' && <DoneStep finished={finished} onChecked={setTested} {...ways} />}
    </>
  );
}

/** A new step begins at its top, with the focus on its heading, so that screen readers read it. */
function useFocusOnStep(step: WelcomeStep): void {
  const before = useRef(step);
  useEffect(() => {
    if (before.current === step) return;
    before.current = step;
    window.scrollTo(0, 0);
    document.getElementById(pageTitleId)?.focus();
  }, [step]);
}

interface StepsProps {
  readonly steps: readonly WelcomeStep[];
  readonly current: WelcomeStep;
  /** Every check has passed. */
  readonly finished: boolean;
}

/** How far the set-up is, as "Step 2 of 4" and as a list of all steps. */
function Steps({ steps, current, finished }: StepsProps): ReactElement {
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
              {index < at ? <IconCheck size={14} /> : index + 1}
            </span>
            {step === 'done' && finished ? wizardWords.finished : stepNames[step]}
            {index < at && <VisuallyHidden>{wizardWords.passed}</VisuallyHidden>}
          </li>
        ))}
      </ol>
    </div>
  );
}
