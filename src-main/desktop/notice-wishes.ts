import type { OwnerApi } from '../contract/contract.ts';
import { ask } from '../owner/ask.ts';

/** Whether the owner wants notifications, and whether they may make a sound. What cannot be read is no wish for either. */
export async function noticeWishes(owner: OwnerApi): Promise<{ wanted: boolean; sound: boolean }> {
  return ask(owner, 'settings.get', {}).then(
    ({ desktop }) => ({ wanted: desktop.notifications, sound: desktop.sound }),
    () => ({ wanted: false, sound: false }),
  );
}
