import { Stack, Switch } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import type { Settings } from '../../../src-main/contract/settings.ts';
import { useAction } from '../../client/queries.ts';
import { WarningNote } from '../../ui/states.tsx';
import { SaveRow } from './save-row.tsx';
import { SpanInput } from './span-input.tsx';

type SignInSettings = Settings['signIn'];

/** How apps sign in, and how long that lasts. */
export function SignInForm({ signIn }: { signIn: SignInSettings }): ReactElement {
  const [draft, setDraft] = useState<Partial<SignInSettings>>({});
  const save = useAction('settings.update');
  const shown = { ...signIn, ...draft };
  const change = (part: Partial<SignInSettings>) => setDraft((before) => ({ ...before, ...part }));
  // A new key draws the inputs anew from what is saved.
  const [round, setRound] = useState(0);
  const startAnew = () => {
    setDraft({});
    setRound((before) => before + 1);
  };
  const discard = () => {
    startAnew();
    save.reset();
  };

  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate({ signIn: draft }, { onSuccess: startAnew });
      }}
    >
      <Stack key={round}>
        <SpanInput
          label="An app’s pass is good for"
          description="Then the app renews it by itself. A shorter time makes a stolen pass worth less."
          seconds={shown.accessTokenSeconds}
          onChange={(accessTokenSeconds) => change({ accessTokenSeconds })}
        />
        <SpanInput
          label="An app that is not used is signed out after"
          description="Each use starts this time anew."
          seconds={shown.refreshTokenSeconds}
          onChange={(refreshTokenSeconds) => change({ refreshTokenSeconds })}
        />
        <Switch
          label="Let old apps in that can’t protect the sign-in (no PKCE)"
          checked={shown.allowWithoutPkce}
          onChange={(event) => change({ allowWithoutPkce: event.currentTarget.checked })}
        />
        {shown.allowWithoutPkce && (
          <WarningNote>
            Whoever intercepts such a sign-in on its way can use it in the app’s place. Leave this off unless
            an app you need does not work without it. You are warned each time one asks.
          </WarningNote>
        )}
      </Stack>
      <Stack mt="md">
        <SaveRow changed={Object.keys(draft).length > 0} save={save} onDiscard={discard} />
      </Stack>
    </form>
  );
}
