import { useEffect, useRef, type ReactElement } from 'react';
import type { Screen } from '../../../src-main/contract/screens.ts';
import { goToWelcome, welcomeSteps, type WelcomeStep } from '../../routes.ts';
import { pageTitleId } from '../../ui/page.tsx';
import { DoneStep } from './done-step.tsx';
import { LinksStep } from './links-step.tsx';
import { ReachStep } from './reach-step.tsx';
import { Steps } from './steps.tsx';
import { Welcome } from './welcome.tsx';

interface Props {
  readonly step: WelcomeStep;
  /** The owner goes into the house, to a screen of it. */
  readonly onLeave: (screen: Screen) => void;
  /** The owner restores a backup instead. */
  readonly onRestore: () => void;
}

/** The set-up, a step at a time. What a step saved stays, wherever the owner stops. */
export function Wizard({ step, onLeave, onRestore }: Props): ReactElement {
  useFocusOnStep(step);
  const at = welcomeSteps.indexOf(step);
  const goBy = (by: number) => () => {
    const next = welcomeSteps[at + by];
    if (next === undefined) onLeave('porch');
    else goToWelcome(next);
  };
  const ways = { onBack: goBy(-1), onNext: goBy(1) };
  return (
    <>
      <title>{`Set-up, step ${at + 1} · Porchlight`}</title>
      <Steps current={step} />
      {step === 'who' && (
        <Welcome
          onStart={() => goToWelcome('who')}
          onDone={ways.onNext}
          onSkip={ways.onNext}
          onRestore={onRestore}
        />
      )}
      {step === 'reach' && <ReachStep {...ways} />}
      {step === 'links' && <LinksStep {...ways} />}
      {step === 'done' && <DoneStep {...ways} />}
    </>
  );
}

/** A new step begins at its top, and its title is read out. */
function useFocusOnStep(step: WelcomeStep): void {
  const before = useRef(step);
  useEffect(() => {
    if (before.current === step) return;
    before.current = step;
    window.scrollTo(0, 0);
    document.getElementById(pageTitleId)?.focus();
  }, [step]);
}
