import { Stack, Switch } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Settings } from '../../../src-main/contract/settings.ts';
import { FormFrame } from './form-frame.tsx';
import { settingProps } from './setting-props.ts';
import { ShortcutInput } from './shortcut-input.tsx';
import { useSettingsForm } from './use-settings-form.ts';
import { computerWords as words } from './words.ts';

type Desktop = Settings['desktop'];

const setting = settingProps('computer', words.settings);

/** Sets what the desktop app does on this computer. */
export function ThisComputer({ desktop }: { desktop: Desktop }): ReactElement {
  const form = useSettingsForm('desktop', desktop);
  const { shown, change } = form;
  const choice = (name: 'startAtLogin' | 'notifications' | 'sound') => ({
    ...setting(name),
    checked: shown[name],
    onChange: ({ currentTarget }: { currentTarget: { checked: boolean } }) =>
      change({ [name]: currentTarget.checked }),
  });
  return (
    <FormFrame form={form} onSubmit={() => form.submit()} onDiscard={form.discard}>
      <Stack gap="sm">
        <Switch {...choice('startAtLogin')} />
        <Switch {...choice('notifications')} />
        <Switch {...choice('sound')} disabled={!shown.notifications} />
        <ShortcutInput
          key={form.round}
          {...setting('writeShortcut')}
          value={shown.writeShortcut}
          onChange={(writeShortcut) => change({ writeShortcut })}
        />
      </Stack>
    </FormFrame>
  );
}
