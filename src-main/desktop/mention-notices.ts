import { Notification } from 'electron';
import type { OwnerApi } from '../contract/contract.ts';
import type { MentionRecord } from '../contract/webmentions.ts';
import { mentionsPlace } from './addresses.ts';
import { mentionWords } from './mention-words.ts';
import { noticeWishes } from './notification.ts';

/** The time (in ms) during which new mentions are collected for one notification. */
const gatherMs = 5_000;

/**
 * Shows new mentions as system notifications if the owner wants notifications. Mentions that arrive together share a
 * notification. Leaves out the owner's own mentions. `show`: called when the owner clicks a notification. Opens the
 * window at the notification's mentions. Returns a function that stops the notifications.
 */
export function startMentionNotices(owner: OwnerApi, show: (place: string) => void): () => void {
  let gathered: MentionRecord[] = [];
  let timer: NodeJS.Timeout | undefined;
  // Keep a reference to the visible notification, because a garbage-collected notification loses its click handler.
  let notification: Notification | undefined;

  async function tell(): Promise<void> {
    const mentions = gathered;
    gathered = [];
    timer = undefined;
    const { wanted, sound } = await noticeWishes(owner);
    if (!wanted || !Notification.isSupported()) return;
    notification?.close();
    notification = new Notification({ ...mentionWords(mentions), silent: !sound });
    notification.on('click', () => show(mentionsPlace(mentions)));
    notification.show();
  }

  const unsubscribe = owner.subscribe((event) => {
    if (event.name !== 'webmention.received' || event.data.own === true) return;
    gathered.push(event.data);
    // Errors are ignored: the window shows the mentions anyway.
    timer ??= setTimeout(() => void tell().catch(() => undefined), gatherMs);
  });
  return () => {
    unsubscribe();
    clearTimeout(timer);
    notification?.close();
  };
}
