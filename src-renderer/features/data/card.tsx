import { Stack, Text, Title } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import shared from '../../ui/shared.module.css';

interface Props {
  readonly title: string;
  /** What this card is for, in one or two sentences. */
  readonly about: string;
  readonly children: ReactNode;
}

/** Shows one thing that the owner can do with the data. */
export function Card({ title, about, children }: Props): ReactElement {
  return (
    <section aria-label={title} className={shared.card}>
      <Title order={2}>{title}</Title>
      <Text c="dimmed" size="sm" mt={2}>
        {about}
      </Text>
      <Stack gap="md" mt="md">
        {children}
      </Stack>
    </section>
  );
}
