import type { SettingsPage } from '../../routes.ts';
import type { SettingWords } from './words.ts';

/** Returns the id of the element that holds a setting. */
export function settingId(page: SettingsPage, name: string): string {
  return `setting-${page}-${name}`;
}

/** Returns what the inputs of a page share: the id that the search leads to, the label and the description. */
export function settingProps<N extends string>(page: SettingsPage, settings: Record<N, SettingWords>) {
  return (name: N) => {
    const { label, about } = settings[name];
    return { id: settingId(page, name), label, ...(about !== undefined && { description: about }) };
  };
}

/** Moves the focus to a setting: to its input, or to the first one in its group. */
export function focusSetting(page: SettingsPage, name: string): void {
  const setting = document.getElementById(settingId(page, name));
  if (!setting) return;
  // A chooser of files is hidden behind its button.
  const controls = 'input:not([type="file"]), select, textarea, button';
  const target = setting.matches(controls)
    ? setting
    : (setting.querySelector<HTMLElement>('input:checked') ?? setting.querySelector<HTMLElement>(controls));
  (target ?? setting).focus();
  setting.scrollIntoView({ block: 'center' });
}
