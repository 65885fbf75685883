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
  /** Whether the step has what it is for; otherwise the owner may skip it. */
  readonly ready: boolean;
  readonly children: ReactNode;
}

/** A step of the set-up: its title, its purpose, and the buttons to continue and to go back. */
export function StepFrame({
  next = wizardWords.continue,
  ready,
  onBack,
  onNext,
  children,
  ...top
}: Props): ReactElement {
  return (
    <Stack gap="lg">
      <StepTop {...top} />
      {children}
      <StepButtons
        primary={
          ready && (
            <Button size="md" color="amber.5" onClick={onNext}>
              {next}
            </Button>
          )
        }
        onSkip={ready ? undefined : onNext}
        onBack={onBack}
      />
    </Stack>
  );
}

/** The title of a step, and its purpose. */
export function StepTop({ title, about }: Pick<Props, 'title' | 'about'>): ReactElement {
  return (
    <div>
      <Title order={1} id={pageTitleId} tabIndex={-1}>
        {title}
      </Title>
      <Text c="dimmed" mt={4}>
        {about}
      </Text>
    </div>
  );
}

interface ButtonsProps {
  /** The button that continues; none where the step can only be skipped. */
  readonly primary?: ReactNode;
  /** Continues without what the step is for; undefined where there is nothing to skip. */
  readonly onSkip?: (() => void) | undefined;
  readonly onBack?: () => void;
}

/** The end of a step: the one button that continues, and the ways around it. */
export function StepButtons({ primary, onSkip, onBack }: ButtonsProps): ReactElement {
  return (
    <Group gap="xs">
      {primary}
      {onSkip && (
        <Button size="md" variant="default" onClick={onSkip}>
          {wizardWords.skip}
        </Button>
      )}
      {onBack && (
        <Button size="md" px="sm" variant="subtle" color="stone" onClick={onBack}>
          {wizardWords.back}
        </Button>
      )}
    </Group>
  );
}
