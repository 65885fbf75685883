import type { ReactElement } from 'react';
import type { SelfTest as Result } from '../../../src-main/contract/reach.ts';
import { useClient } from '../../client/queries.ts';
import { SelfTest } from '../setup/self-test.tsx';
import { StartAtLogin } from './start-at-login.tsx';
import { StepFrame, type StepProps } from './step-frame.tsx';
import { TestSignIn } from './test-sign-in.tsx';
import { doneWords as words } from './words.ts';

interface Props extends StepProps {
  /** Every check has passed. */
  readonly finished: boolean;
  readonly onChecked: (result: Result) => void;
}

/** The last step: checks everything, and then offers a first sign-in. */
export function DoneStep({ finished, onChecked, ...ways }: Props): ReactElement {
  const { home } = useClient();
  return (
    <StepFrame
      title={finished ? words.finishedTitle : words.title}
      about={finished ? words.finishedAbout : words.about}
      next={words.next}
      ready
      {...ways}
    >
      {finished && <TestSignIn />}
      <SelfTest atOnce foldWarnings onChecked={onChecked} />
      {home === 'desktop' && <StartAtLogin />}
    </StepFrame>
  );
}
