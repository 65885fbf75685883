import { Button, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useAnswer } from '../../client/queries.ts';
import { hashOf } from '../../routes.ts';
import { AppMark } from '../../ui/app-mark.tsx';
import { Foreign } from '../../ui/foreign.tsx';
import look from '../../ui/look.module.css';
import { Section } from '../../ui/page.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { Empty, Loaded } from '../../ui/states.tsx';

/** The sign-ins that wait for the owner, each one click from its review. */
export function Waiting(): ReactElement {
  const signIns = useAnswer('signIns.list', {});
  return (
    <Section title="Waiting for you">
      <Loaded query={signIns} what="what waits">
        {(pending) =>
          pending.length === 0 ? (
            <Empty>
              Nobody is at the door. When an app asks to sign you in, it waits here for your answer.
            </Empty>
          ) : (
            <ul className={look.list}>
              {pending.map((signIn) => (
                <li key={signIn.id} className={`${look.row} ${look.waitingRow}`}>
                  <AppMark name={signIn.clientName} logo={signIn.clientLogo} />
                  <div className={look.rowBody}>
                    <Text fw={600} lineClamp={1}>
                      <Foreign text={signIn.clientName} fallback={signIn.clientHost} />
                    </Text>
                    <Text size="sm" c="dimmed" lineClamp={1}>
                      <Foreign text={signIn.clientHost} /> asks to sign you in
                    </Text>
                  </div>
                  <Text className={look.smallCode}>
                    Code <b>{signIn.matchCode}</b>
                  </Text>
                  <Button
                    component="a"
                    href={hashOf('sign-ins', signIn.id)}
                    color="amber.5"
                    size="sm"
                    aria-label={`Review ${plainText(signIn.clientName) || signIn.clientHost}`}
                  >
                    Review
                  </Button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}
