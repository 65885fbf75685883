import { Button, Group, Stack, Text, Title } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { pageTitleId } from '../../ui/page.tsx';
import { wizardWords } from './words.ts';

/** What every step gets from the wizard. */
export interface StepProps {
  readonly onBack: () => void;
  readonly onNext: () => void;
}

interface Props extends StepProps {
  readonly title: string;
  readonly about: ReactNode;
  /** The label of the button to the next step. */
  readonly next?: string;
  /** The step is saving what it needs before the next one. */
  readonly saving?: boolean;
  /** Whether the step has what it is for; otherwise the owner may skip it. */
  readonly ready: boolean;
  readonly children: ReactNode;
}

/** A step of the set-up: its title, its purpose, and the buttons to continue and to go back. */
export function StepFrame({
  title,
  about,
  next = wizardWords.continue,
  saving = false,
  ready,
  onBack,
  onNext,
  children,
}: Props): ReactElement {
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
          <Button size="md" color="amber.5" loading={saving} onClick={onNext}>
            {next}
          </Button>
        ) : (
          <Button size="md" variant="default" onClick={onNext}>
            {wizardWords.skip}
          </Button>
        )}
        <Button size="md" variant="subtle" color="stone" onClick={onBack}>
          {wizardWords.back}
        </Button>
      </Group>
    </Stack>
  );
}
