import { Button, Group, Stack, Text, Title } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { pageTitleId } from '../../ui/page.tsx';

/** What every step can do. */
export interface StepProps {
  readonly onBack: () => void;
  readonly onNext: () => void;
}

interface Props extends StepProps {
  readonly title: string;
  readonly about: ReactNode;
  /** What the button to the next step says. */
  readonly next: string;
  /** Whether the step has brought what it is for; otherwise it can be skipped. */
  readonly ready: boolean;
  readonly children: ReactNode;
}

/** A step of the set-up: its title, what it is for, and the ways back and on. */
export function StepFrame({ title, about, next, ready, onBack, onNext, children }: Props): ReactElement {
  return (
    <Stack gap="lg">
      <div>
        <Title order={1} id={pageTitleId} tabIndex={-1}>
          {title}
        </Title>
        <Text c="dimmed" mt={4}>
          {about}
        </Text>
      </div>
      {children}
      <Group>
        {ready ? (
          <Button size="md" color="amber.5" onClick={onNext}>
            {next}
          </Button>
        ) : (
          <Button size="md" variant="default" onClick={onNext}>
            Skip this step
          </Button>
        )}
        <Button size="md" variant="subtle" color="stone" onClick={onBack}>
          Back
        </Button>
      </Group>
    </Stack>
  );
}
