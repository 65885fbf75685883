import { Alert, Button, Group, TextInput } from '@mantine/core';
import { useState, type KeyboardEvent, type ReactElement } from 'react';
import { settingAreas, type Settings } from '../../../src-main/contract/settings.ts';
import { SettingField, settingProps } from './setting-field.tsx';
import { useAnswer } from '../../client/queries.ts';
import { AreaForm, useSettingsForm } from './settings-form.tsx';
import { isModifier, shortcutOf, shownShortcut } from './shortcut-keys.ts';

const words = {
  none: 'No shortcut',
  clear: 'Remove shortcut',
  refused: 'Hold Ctrl, Alt or ⌘ and press a letter, a digit or a function key.',
};

const { sound, writeShortcut } = settingAreas.desktop;

/** Sets what the desktop app does on this computer. */
export function ThisComputer({ desktop }: { desktop: Settings['desktop'] }): ReactElement {
  const form = useSettingsForm('desktop', desktop);
  const { shown, change } = form;
  const problems = useAnswer('status.get', {}).data?.problems ?? [];
  const silent = problems.find(({ code }) => code === 'no_notifications');
  return (
    <AreaForm
      page="computer"
      form={form}
      fields={{
        sound: (
          <SettingField
            page="computer"
            name="sound"
            row={sound}
            value={shown.sound}
            disabled={!shown.notifications}
            onChange={(value) => change({ sound: value === true })}
          />
        ),
        writeShortcut: (
          <ShortcutField
            key={form.round}
            value={shown.writeShortcut}
            onChange={(shortcut) => change({ writeShortcut: shortcut })}
          />
        ),
      }}
    >
      {silent && <Alert color="yellow">{silent.message}</Alert>}
    </AreaForm>
  );
}

interface Props {
  /** An Electron accelerator; empty for none. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

const isMac = () => navigator.userAgent.includes('Mac');

/** Records a shortcut: the owner moves to the field and presses the keys. */
function ShortcutField({ value, onChange }: Props): ReactElement {
  const [isRefused, setRefused] = useState(false);
  const clear = () => {
    setRefused(false);
    onChange('');
  };
  const record = (event: KeyboardEvent) => {
    const isPlain = !event.ctrlKey && !event.altKey && !event.metaKey;
    // The keys that leave the field stay usable.
    if (isModifier(event.key) || (isPlain && (event.key === 'Tab' || event.key === 'Escape'))) return;
    event.preventDefault();
    event.stopPropagation();
    if (isPlain && (event.key === 'Backspace' || event.key === 'Delete')) {
      clear();
      return;
    }
    const shortcut = shortcutOf(event.nativeEvent);
    setRefused(shortcut === undefined);
    if (shortcut !== undefined) onChange(shortcut);
  };
  return (
    <Group align="flex-end" gap="xs">
      <TextInput
        {...settingProps('computer', 'writeShortcut', writeShortcut)}
        readOnly
        w={280}
        maw="100%"
        placeholder={words.none}
        value={value === '' ? '' : shownShortcut(value, isMac())}
        error={isRefused ? words.refused : undefined}
        onKeyDown={record}
      />
      {value !== '' && (
        <Button variant="default" onClick={clear}>
          {words.clear}
        </Button>
      )}
    </Group>
  );
}
