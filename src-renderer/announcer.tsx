import { VisuallyHidden } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, type ReactElement } from 'react';
import type { SignIn } from '../src-main/contract/sign-ins.ts';
import { useClient } from './client/queries.ts';
import { endingOf } from './features/sign-ins/outcome.ts';
import { endingTitles } from './features/sign-ins/words.ts';
import { plainText } from './ui/plain-text.ts';

/** Tells people who listen rather than look that somebody asks to sign in, or stopped waiting. */
export function Announcer(): ReactElement {
  const client = useClient();
  const cache = useQueryClient();
  const [words, setWords] = useState('');
  useEffect(
    () =>
      client.subscribe((event) => {
        if (event.name === 'signIn.requested') {
          const { clientName, clientHost, matchCode } = event.data;
          setWords(`New sign-in: ${plainText(clientName)} at ${clientHost}, code ${matchCode}.`);
        }
        // What the owner answered takes the focus, and is read out with it.
        if (event.name === 'signIn.settled' && event.data.outcome === 'expired') {
          const known = cache.getQueryData<SignIn[]>(['signIns.list', {}]);
          const over = known?.find(({ id }) => id === event.data.id);
          if (!over) return;
          const title = endingTitles[endingOf(event.data)];
          setWords(`${title}: ${plainText(over.clientName)} at ${over.clientHost}, code ${over.matchCode}.`);
        }
      }),
    [client, cache],
  );
  return (
    <VisuallyHidden role="status" aria-live="polite" aria-label="News">
      {words}
    </VisuallyHidden>
  );
}
