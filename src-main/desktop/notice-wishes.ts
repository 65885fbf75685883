import type { OwnerApi } from '../contract/contract.ts';
import { ask } from '../owner/ask.ts';

/**
 * Returns whether the owner wants notifications, and whether they may make a sound. Both are false if the settings
 * can't be read.
 */
export async function noticeWishes(owner: OwnerApi): Promise<{ wanted: boolean; sound: boolean }> {
  return ask(owner, 'settings.get', {}).then(
    ({ desktop }) => ({ wanted: desktop.notifications, sound: desktop.sound }),
    () => ({ wanted: false, sound: false }),
  );
}
