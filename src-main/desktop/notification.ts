import { Notification, type NotificationConstructorOptions } from 'electron';
import type { OwnerApi } from '../contract/contract.ts';
import type { SignIn } from '../contract/sign-ins.ts';
import { ask } from '../app/ask.ts';
import { appNamed } from './prompt-words.ts';

interface NotificationTools {
  readonly owner: OwnerApi;
  /** Opens the window so that the owner can review a sign-in. */
  readonly review: (id: string) => void;
  /** Tells the owner that their decision about a sign-in could not be carried out. */
  readonly failed: (error: unknown) => void;
  readonly show?: typeof showNotification;
}

/**
 * The buttons of a notification about a sign-in. There is no Approve button, because an accidental click must never
 * approve a sign-in.
 */
const actions = ['Review', 'Deny'] as const;

/**
 * Shows each new sign-in as a notification, if the owner wants notifications. A click opens the sign-in for review.
 * Returns a function that stops the notifications.
 */
export function startNotifications(tools: NotificationTools): () => void {
  const { owner, review, failed, show = showNotification } = tools;
  const waiting = new Map<string, Pick<Notification, 'close'> | undefined>();
  const end = (id: string) => {
    waiting.get(id)?.close();
    waiting.delete(id);
  };
  const notify = async (signIn: SignIn) => {
    waiting.set(signIn.id, undefined);
    const { wanted, sound } = await noticeWishes(owner);
    // While the settings were read, the sign-in may have been approved or denied, or may have expired.
    if (!wanted || !waiting.has(signIn.id)) return;
    const title = `Sign in to ${appNamed(signIn)}?`;
    const body = `Approve only if your browser shows ${signIn.matchCode}.`;
    const shown = show({ title, body, silent: !sound }, (action) => {
      if (action === 'Deny') ask(owner, 'signIns.deny', { id: signIn.id }).catch(failed);
      else review(signIn.id);
    });
    waiting.set(signIn.id, shown);
  };
  const unsubscribe = owner.subscribe((event) => {
    // Errors are ignored: the sign-in dialog appears anyway.
    if (event.name === 'signIn.requested') notify(event.data).catch(() => undefined);
    if (event.name === 'signIn.settled') end(event.data.id);
  });
  return () => {
    unsubscribe();
    for (const id of [...waiting.keys()]) end(id);
  };
}

/**
 * Shows a notification that names the approved app, if the owner wants notifications. `showApps`: opens the window at
 * the list of apps.
 */
export async function tellApproved(
  owner: OwnerApi,
  signIn: SignIn,
  showApps: () => void,
  show: typeof showNotification = showNotification,
): Promise<void> {
  const { wanted } = await noticeWishes(owner);
  const title = `Approved: ${appNamed(signIn)}`;
  if (wanted) show({ title, body: 'Go back to your browser.', silent: true }, showApps, []);
}

/**
 * Returns whether the owner wants notifications, and whether the owner wants them with sound. Both are false if the
 * settings can't be read.
 */
export async function noticeWishes(owner: OwnerApi): Promise<{ wanted: boolean; sound: boolean }> {
  return ask(owner, 'settings.get', {}).then(
    ({ desktop }) => ({ wanted: desktop.notifications, sound: desktop.sound }),
    () => ({ wanted: false, sound: false }),
  );
}

// Keep references to the visible notifications, because a garbage-collected notification loses its click handler.
const onScreen = new Set<Notification>();

function showNotification(
  options: NotificationConstructorOptions,
  answered: (action: (typeof actions)[number]) => void,
  buttons: readonly string[] = actions,
): Pick<Notification, 'close'> | undefined {
  if (!Notification.isSupported()) return undefined;
  const notification = new Notification({
    ...options,
    // macOS shows the buttons; other systems ignore them.
    actions: buttons.map((text) => ({ type: 'button', text })),
  });
  notification.on('click', () => answered('Review'));
  notification.on('action', (_event, index) => answered(actions[index] ?? 'Review'));
  onScreen.add(notification);
  notification.on('close', () => onScreen.delete(notification));
  notification.show();
  return notification;
}
