import { VisuallyHidden } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, type ReactElement } from 'react';
import type { SignIn } from '../src-main/contract/sign-ins.ts';
import { useClient } from './client/queries.ts';
import { endingOf } from './features/sign-ins/outcome.ts';
import { endingTitle } from './features/sign-ins/words.ts';
import { plainText } from './ui/plain-text.ts';
import { announcerWords } from './words.ts';

/** Announces to screen readers that an app asks to sign in, or that its request has ended elsewhere. */
export function Announcer(): ReactElement {
  const client = useClient();
  const cache = useQueryClient();
  const [words, setWords] = useState('');
  useEffect(
    () =>
      client.subscribe((event) => {
        if (event.name === 'signIn.requested') {
          const { clientName, clientHost, matchCode } = event.data;
          setWords(announcerWords.asked(plainText(clientName), clientHost, matchCode));
        }
        // A sign-in that the owner answered here takes the focus, so screen readers read it out anyway.
        if (
          event.name === 'signIn.settled' &&
          (event.data.outcome === 'expired' || event.data.by !== undefined)
        ) {
          const known = cache.getQueryData<SignIn[]>(['signIns.list', {}]);
          const over = known?.find(({ id }) => id === event.data.id);
          if (!over) return;
          const title = endingTitle(endingOf(event.data), event.data.by);
          setWords(announcerWords.ended(title, plainText(over.clientName), over.clientHost, over.matchCode));
        }
      }),
    [client, cache],
  );
  return (
    <VisuallyHidden role="status" aria-live="polite" aria-label={announcerWords.name}>
      {words}
    </VisuallyHidden>
  );
}
