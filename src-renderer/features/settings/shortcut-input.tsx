import { Button, Group, TextInput } from '@mantine/core';
import { useState, type KeyboardEvent, type ReactElement } from 'react';
import { isModifier, shortcutOf, shownShortcut } from './shortcut-keys.ts';
import { shortcutWords } from './words.ts';

interface Props {
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  /** An Electron accelerator; empty for none. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

const isMac = () => navigator.userAgent.includes('Mac');

/** Records a shortcut: the owner moves to the field and presses the keys. */
export function ShortcutInput({ value, onChange, ...names }: Props): ReactElement {
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
        {...names}
        readOnly
        w={280}
        maw="100%"
        placeholder={shortcutWords.none}
        value={value === '' ? '' : shownShortcut(value, isMac())}
        error={isRefused ? shortcutWords.refused : undefined}
        onKeyDown={record}
      />
      {value !== '' && (
        <Button variant="default" onClick={clear}>
          {shortcutWords.clear}
        </Button>
      )}
    </Group>
  );
}
