import { Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useClient } from '../../client/queries.ts';
import { SelfTest } from '../setup/self-test.tsx';
import { StartAtLogin } from './start-at-login.tsx';
import { StepFrame, type StepProps } from './step-frame.tsx';

/** The last step: does it work, and what now? */
export function DoneStep(ways: StepProps): ReactElement {
  const { home } = useClient();
  return (
    <StepFrame
      title="Does it all work?"
      about="Porchlight goes out and knocks at its own door, as an app would."
      next="Go to the porch"
      ready
      {...ways}
    >
      <SelfTest atOnce />
      <Stack gap="xs">
        <Text fw={600}>What is next</Text>
        <Text>
          Go to any site that offers “sign in with your domain” and enter yours. Porchlight asks you here, and
          nobody is let in before you say yes.
        </Text>
      </Stack>
      {home === 'desktop' && <StartAtLogin />}
    </StepFrame>
  );
}
