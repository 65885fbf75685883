import { isShortcut } from '../../../src-main/contract/window.ts';

type Keys = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'altKey' | 'shiftKey' | 'metaKey'>;

/** Keys whose names differ between the page and a shortcut, by their places on the keyboard. */
const named: Readonly<Record<string, string>> = {
  ArrowUp: 'Up',
  ArrowDown: 'Down',
  ArrowLeft: 'Left',
  ArrowRight: 'Right',
  Comma: ',',
  Period: '.',
  Slash: '/',
  Semicolon: ';',
  Quote: "'",
  Backslash: '\\',
  BracketLeft: '[',
  BracketRight: ']',
  Minus: '-',
  Equal: '=',
  Backquote: '`',
};

/** Returns the shortcut that the owner presses; undefined if the keys can't be one. */
export function shortcutOf({ key, code, ctrlKey, altKey, shiftKey, metaKey }: Keys): string | undefined {
  const held = [ctrlKey && 'Control', altKey && 'Alt', shiftKey && 'Shift', metaKey && 'Meta'];
  // The letter on the key where the layout has one: with Alt, macOS turns a letter into another character.
  const letter = /^[a-z0-9]$/i.test(key) ? key.toUpperCase() : undefined;
  const last = letter ?? named[code] ?? code.replace(/^(?:Key|Digit)(?=.$)/, '');
  const shortcut = [...held.filter((name) => name !== false), last].join('+');
  return isShortcut(shortcut) ? shortcut : undefined;
}

/** Returns whether a key is only held together with others. */
export const isModifier = (key: string) =>
  ['Control', 'Alt', 'AltGraph', 'Shift', 'Meta', 'OS', 'CapsLock', 'Fn'].includes(key);

/** Returns a shortcut as people write it: "Ctrl + Alt + N". */
export function shownShortcut(shortcut: string, isMac: boolean): string {
  const names: Readonly<Record<string, string>> = {
    Control: 'Ctrl',
    Meta: isMac ? '⌘' : 'Super',
    Alt: isMac ? '⌥' : 'Alt',
  };
  return shortcut
    .split('+')
    .map((name) => names[name] ?? name)
    .join(' + ');
}
