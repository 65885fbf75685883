import { Notification } from 'electron';
import type { OwnerApi } from '../contract/contract.ts';
import { noticeWishes } from './notification.ts';

/**
 * Shows a system notification with the number of items that the mailbox received while this computer was asleep, if the
 * owner wants notifications. `show`: opens the window at a list of mentions. Returns a function that stops the
 * notifications.
 */
export function startMailboxNotice(owner: OwnerApi, show: (place: string) => void): () => void {
  // Keep a reference to the visible notification, because a garbage-collected notification loses its click handler.
  let notification: Notification | undefined;

  async function tell(arrived: number): Promise<void> {
    const { wanted, sound } = await noticeWishes(owner);
    if (!wanted || !Notification.isSupported()) return;
    notification?.close();
    notification = new Notification({ ...arrivalWords(arrived), silent: !sound });
    notification.on('click', () => show('#/webmentions'));
    notification.show();
  }

  const unsubscribe = owner.subscribe((event) => {
    // Errors are ignored: the window shows the new items anyway.
    if (event.name === 'mailbox.arrived') void tell(event.data.arrived).catch(() => undefined);
  });
  return () => {
    unsubscribe();
    notification?.close();
  };
}

function arrivalWords(arrived: number): { title: string; body: string } {
  return {
    title: `${arrived === 1 ? 'One thing' : `${arrived} things`} arrived while you were away`,
    body: 'Your mailbox kept what others sent.',
  };
}
