/** The screens of the window, in sidebar order. A screen's URL within the window is `#/` followed by its name. */
export const screens = [
  'overview',
  'sign-ins',
  'apps',
  'write',
  'posts',
  'media',
  'webmentions',
  'activity',
  'data',
  'setup',
  'settings',
] as const;
export type Screen = (typeof screens)[number];

/** Former names of screens, which links and bookmarks still use. */
const formerNames: Readonly<Record<string, Screen | undefined>> = { porch: 'overview' };

/** Returns the screen of this name, or of this former name. */
export function screenNamed(name: string): Screen | undefined {
  return (
    screens.find((screen) => screen === name) ??
    (Object.hasOwn(formerNames, name) ? formerNames[name] : undefined)
  );
}

/** A message from the desktop app to its window. The window also receives the owner's events. */
export type WindowSignal =
  | { readonly name: 'find' }
  /** The window has been hidden for long. Its page answers with `restWindow` if nothing in it is unsaved. */
  | { readonly name: 'rest' }
  /** The window was zoomed. `percent`: 100 is the actual size. */
  | { readonly name: 'zoom'; readonly percent: number };

const modifiers = 'Control|Alt|Shift|Meta';
const keys =
  "F(?:[1-9]|1\\d|2[0-4])|[A-Z0-9]|Space|Tab|Insert|Home|End|PageUp|PageDown|Up|Down|Left|Right|[,./;'\\[\\]\\\\=`-]";
const shortcut = new RegExp(`^(?:(?:${modifiers})\\+){1,4}(?:${keys})$`);

/**
 * Returns whether a string is an Electron accelerator that Porchlight accepts as a global shortcut. While a global
 * shortcut is registered, no other app receives its keys, so the shortcut must include Control, Alt or Meta.
 */
export function isShortcut(text: string): boolean {
  const held = text.split('+').slice(0, -1);
  const isTwice = new Set(held).size < held.length;
  return shortcut.test(text) && !isTwice && held.some((name) => name !== 'Shift');
}
