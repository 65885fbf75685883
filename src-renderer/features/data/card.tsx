import { Stack } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { Section } from '../../ui/page.tsx';
import shared from '../../ui/shared.module.css';

interface Props {
  readonly title: string;
  /** What this part is for, in one or two sentences, if its title doesn't say it. */
  readonly about?: string;
  readonly children: ReactNode;
}

/** Shows one thing that the owner can do with the data, on a surface under its title. */
export function Card({ title, about, children }: Props): ReactElement {
  return (
    <Section title={title} {...(about !== undefined && { about })}>
      <div className={shared.card}>
        <Stack gap="md">{children}</Stack>
      </div>
    </Section>
  );
}
