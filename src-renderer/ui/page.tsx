import { Stack, Text, Title } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import shared from './shared.module.css';

interface PageProps {
  readonly title: ReactNode;
  /** One line about the purpose of the screen. */
  readonly about?: ReactNode;
  /** The screen's primary button, and its "…" menu (`ActionRow`). They stand beside the title. */
  readonly actions?: ReactNode;
  /** True if the screen's first part says more than its name. */
  readonly titleHidden?: boolean;
  readonly children: ReactNode;
}

/** The id of the heading that takes the focus when the owner goes to another screen. */
export const pageTitleId = 'page-title';

/** Lays out a screen: its heading, and its parts one below the other. */
export function Page({ title, about, actions, titleHidden = false, children }: PageProps): ReactElement {
  return (
    <Stack gap="xl">
      <div className={titleHidden ? shared.hidden : undefined}>
        <div className={shared.head}>
          <Title order={1} id={pageTitleId} tabIndex={-1} className={shared.headTitle}>
            {title}
          </Title>
          {actions}
        </div>
        {about !== undefined && (
          <Text c="dimmed" mt={4}>
            {about}
          </Text>
        )}
      </div>
      {children}
    </Stack>
  );
}

interface SectionProps {
  readonly title: string;
  readonly about?: ReactNode;
  /** The part's own button, beside its heading. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** Lays out a part of a screen under its own heading. */
export function Section({ title, about, actions, children }: SectionProps): ReactElement {
  return (
    <section aria-label={title}>
      <div className={shared.head}>
        <Title order={2} className={shared.headTitle}>
          {title}
        </Title>
        {actions}
      </div>
      {about !== undefined && (
        <Text c="dimmed" size="sm" mt={2}>
          {about}
        </Text>
      )}
      <Stack gap="md" mt="sm">
        {children}
      </Stack>
    </section>
  );
}
