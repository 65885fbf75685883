import { Stack, Switch } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Settings } from '../../../src-main/contract/settings.ts';
import { WarningNote } from '../../ui/states.tsx';
import { FormFrame } from './form-frame.tsx';
import { settingProps } from './setting-props.ts';
import { SpanInput } from './span-input.tsx';
import { useSettingsForm } from './use-settings-form.ts';
import { signInWords as words } from './words.ts';

const setting = settingProps('sign-in', words.settings);

/** Sets how apps sign in, and how long their access lasts. */
export function SignInForm({ signIn }: { signIn: Settings['signIn'] }): ReactElement {
  const form = useSettingsForm('signIn', signIn);
  const { shown, change } = form;
  return (
    <FormFrame form={form} onSubmit={() => form.submit()} onDiscard={form.discard}>
      <Stack key={form.round}>
        <SpanInput
          {...setting('accessTokenSeconds')}
          description={words.settings.accessTokenSeconds.about}
          seconds={shown.accessTokenSeconds}
          onChange={(accessTokenSeconds) => change({ accessTokenSeconds })}
        />
        <SpanInput
          {...setting('refreshTokenSeconds')}
          description={words.settings.refreshTokenSeconds.about}
          seconds={shown.refreshTokenSeconds}
          onChange={(refreshTokenSeconds) => change({ refreshTokenSeconds })}
        />
        <Switch
          {...setting('allowWithoutPkce')}
          checked={shown.allowWithoutPkce}
          onChange={(event) => change({ allowWithoutPkce: event.currentTarget.checked })}
        />
        {shown.allowWithoutPkce && <WarningNote>{words.warning}</WarningNote>}
      </Stack>
    </FormFrame>
  );
}
