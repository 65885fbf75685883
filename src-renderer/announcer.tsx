import { VisuallyHidden } from '@mantine/core';
import { useEffect, useState, type ReactElement } from 'react';
import { useClient } from './client/queries.ts';
import { plainText } from './ui/plain-text.ts';

/** Tells people who listen rather than look that somebody asks to sign in. */
export function Announcer(): ReactElement {
  const client = useClient();
  const [words, setWords] = useState('');
  useEffect(
    () =>
      client.subscribe((event) => {
        if (event.name !== 'signIn.requested') return;
        const { clientName, clientHost, matchCode } = event.data;
        setWords(`New sign-in: ${plainText(clientName)} at ${clientHost}, code ${matchCode}.`);
      }),
    [client],
  );
  return (
    <VisuallyHidden role="status" aria-live="polite" aria-label="News">
      {words}
    </VisuallyHidden>
  );
}
