import { Text } from '@mantine/core';
import { useEffect, useRef, type ReactElement } from 'react';
import type { Outcome, SignIn } from '../../../src-main/contract/sign-ins.ts';
import { AppMark } from '../../ui/app-mark.tsx';
import { Foreign } from '../../ui/foreign.tsx';
import look from '../../ui/look.module.css';
import { outcomeWords } from './outcome.ts';

/** What became of a sign-in that was answered just now. It takes the focus that the buttons had. */
export function AnsweredCard({ signIn, outcome }: { signIn: SignIn; outcome: Outcome }): ReactElement {
  const card = useRef<HTMLDivElement>(null);
  useEffect(() => card.current?.focus(), []);
  return (
    <div ref={card} tabIndex={-1} role="status" className={`${look.card} ${look.row}`}>
      <AppMark name={signIn.clientName} logo={signIn.clientLogo} />
      <div className={look.rowBody}>
        <Text fw={600} lineClamp={2}>
          {outcomeWords[outcome]}: <Foreign text={signIn.clientName} fallback={signIn.clientHost} />
        </Text>
        <Text size="sm" c="dimmed">
          {outcome === 'approved'
            ? 'Go back to your browser: it goes on by itself.'
            : 'The app is told no. Nothing was given to it.'}
        </Text>
      </div>
    </div>
  );
}
