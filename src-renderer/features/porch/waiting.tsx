import { Button, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { SignIn } from '../../../src-main/contract/sign-ins.ts';
import { useAnswer } from '../../client/queries.ts';
import { hashOf } from '../../routes.ts';
import { AppMark } from '../../ui/app-mark.tsx';
import { Foreign } from '../../ui/foreign.tsx';
import shared from '../../ui/shared.module.css';
import { Section } from '../../ui/page.tsx';
import { Phrase } from '../../ui/phrase.tsx';
import { plainText, shortened } from '../../ui/plain-text.ts';
import { Loaded } from '../../ui/states.tsx';
import { waitingWords } from './words.ts';

/** The sign-ins that wait for the owner, each one click from its review. Nothing where none does. */
export function Waiting(): ReactElement | null {
  const signIns = useAnswer('signIns.list', {});
  if (signIns.isPending || signIns.data?.length === 0) return null;
  return (
    <Section title={waitingWords.title}>
      <Loaded query={signIns} what={waitingWords.list}>
        {(pending) => (
          <ul className={shared.list}>
            {pending.map((signIn) => (
              <WaitingRow key={signIn.id} signIn={signIn} />
            ))}
          </ul>
        )}
      </Loaded>
    </Section>
  );
}

function WaitingRow({ signIn }: { signIn: SignIn }): ReactElement {
  const { id, clientName, clientHost, clientLogo, device, matchCode } = signIn;
  const name = plainText(clientName);
  return (
    <li className={`${shared.row} ${shared.waitingRow}`}>
      <AppMark name={clientName} address={signIn.clientId} logo={clientLogo} />
      <div className={shared.rowBody}>
        <Text fw={600} className={shared.wrap}>
          <Phrase
            text={name === '' ? waitingWords.questionOfHost : waitingWords.question}
            parts={{ app: <Foreign text={shortened(name, 60)} />, host: <Foreign text={clientHost} /> }}
          />
        </Text>
        {device !== null && (
          <Text size="sm" c="dimmed">
            {waitingWords.from(device)}
          </Text>
        )}
      </div>
      <Text className={shared.smallCode}>
        {waitingWords.code} <b>{matchCode}</b>
      </Text>
      <Button
        component="a"
        href={hashOf('sign-ins', id)}
        color="amber.5"
        size="sm"
        aria-label={waitingWords.reviewOf(name || clientHost)}
      >
        {waitingWords.review}
      </Button>
    </li>
  );
}
