import { Stack, Switch } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Settings } from '../../../src-main/contract/settings.ts';
import { WarningNote } from '../../ui/states.tsx';
import { FormFrame } from './form-frame.tsx';
import { SpanInput } from './span-input.tsx';
import { useSettingsForm } from './use-settings-form.ts';

/** How apps sign in, and how long that lasts. */
export function SignInForm({ signIn }: { signIn: Settings['signIn'] }): ReactElement {
  const form = useSettingsForm('signIn', signIn);
  const { shown, change } = form;
  return (
    <FormFrame form={form} onSubmit={() => form.submit()} onDiscard={form.discard}>
      <Stack key={form.round}>
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
    </FormFrame>
  );
}
