import { Notification } from 'electron';
import type { OwnerApi } from '../contract/contract.ts';
import type { MentionRecord } from '../contract/webmentions.ts';
import { mentionsPlace } from './addresses.ts';
import { mentionWords } from './mention-words.ts';
import { noticeWishes } from './notice-wishes.ts';

/** Mentions that come in within this time are told together. */
const gatherMs = 5_000;

/**
 * Reports new mentions as notifications of the system, where the owner wants them; many become one. The
 * owner's own mentions are left out. `show` opens the window at the place of what was clicked. Returns the function that
 * ends it.
 */
export function startMentionNotices(owner: OwnerApi, show: (place: string) => void): () => void {
  let gathered: MentionRecord[] = [];
  let timer: NodeJS.Timeout | undefined;
  // Kept while it is there: a notification that is garbage collected forgets its click.
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
    // Where it fails, the window shows them all the same.
    timer ??= setTimeout(() => void tell().catch(() => undefined), gatherMs);
  });
  return () => {
    unsubscribe();
    clearTimeout(timer);
    notification?.close();
  };
}
