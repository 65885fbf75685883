import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import type { ReactElement, ReactNode } from 'react';
import './ui/look.css';
import { cssVariables, theme } from './ui/theme.ts';

interface Props {
  readonly children: ReactNode;
  /** `test`: nothing moves, and dialogs stay in place. */
  readonly env?: 'default' | 'test';
}

/** The house style around everything: light or dark as the system is. */
export function Look({ children, env = 'default' }: Props): ReactElement {
  return (
    <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto" env={env}>
      {children}
      <Notifications position="bottom-right" />
    </MantineProvider>
  );
}
