import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import type { ReactElement, ReactNode } from 'react';
import './ui/global.css';
import { cssVariables, theme } from './ui/theme.ts';

interface Props {
  readonly children: ReactNode;
  /** `test` turns off animations and portals. */
  readonly env?: 'default' | 'test';
}

/** Applies Porchlight's style to everything inside it, in the system's light or dark mode. */
export function Appearance({ children, env = 'default' }: Props): ReactElement {
  return (
    <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto" env={env}>
      {children}
      <Notifications position="bottom-right" />
    </MantineProvider>
  );
}
