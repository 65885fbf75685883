import { Notification } from 'electron';
import type { OwnerApi } from '../contract/contract.ts';
import type { SignIn } from '../contract/sign-ins.ts';
import { ask } from '../owner/ask.ts';
import { appNamed } from './prompt-words.ts';

/** A sign-in that waits, as a notification of the system, where the owner wants notifications. Clicking it reviews. */
export function startNotifications(owner: OwnerApi, review: (id: string) => void): () => void {
  // Kept while they wait: a notification that is garbage collected forgets its click.
  const shown = new Map<string, Notification>();
  const unsubscribe = owner.subscribe((event) => {
    if (event.name === 'signIn.requested') void notify(owner, event.data, shown, review);
    if (event.name !== 'signIn.settled') return;
    shown.get(event.data.id)?.close();
    shown.delete(event.data.id);
  });
  return () => {
    unsubscribe();
    for (const notification of shown.values()) notification.close();
    shown.clear();
  };
}

/** What a notification says about a sign-in. */
function notificationWords(signIn: SignIn): { title: string; body: string } {
  return {
    title: `${appNamed(signIn)} wants to sign in as you`,
    body: `Approve only if your browser shows ${signIn.matchCode}.`,
  };
}

async function notify(
  owner: OwnerApi,
  signIn: SignIn,
  shown: Map<string, Notification>,
  review: (id: string) => void,
): Promise<void> {
  if (!Notification.isSupported()) return;
  const wanted = await ask(owner, 'settings.get', {}).then(
    (settings) => settings.desktop.notifications,
    // The dialog asks in any case; what cannot be read is no wish for a notification.
    () => false,
  );
  if (!wanted) return;
  const notification = new Notification(notificationWords(signIn));
  notification.on('click', () => review(signIn.id));
  shown.set(signIn.id, notification);
  notification.show();
}
