import { Notification, type NotificationConstructorOptions } from 'electron';
import type { OwnerApi } from '../contract/contract.ts';
import type { SignIn } from '../contract/sign-ins.ts';
import { ask } from '../owner/ask.ts';
import { noticeWishes } from './notice-wishes.ts';
import { appNamed } from './prompt-words.ts';

/** A notification on the screen. */
interface Shown {
  close(): void;
}

export interface NotificationTools {
  readonly owner: OwnerApi;
  /** Opens the window to review a sign-in. */
  readonly review: (id: string) => void;
  /** Tells the owner that their answer could not be delivered. */
  readonly failed: (error: unknown) => void;
  readonly show?: typeof showNotification;
}

/**
 * The notification's buttons, on systems that show them. There is no Approve button: a slip must never let anybody in.
 */
const actions = ['Review', 'Deny'] as const;

/**
 * Shows each waiting sign-in as a system notification if the owner wants notifications. A click opens the sign-in for
 * review. Returns a function that stops the notifications.
 */
export function startNotifications(tools: NotificationTools): () => void {
  const { owner, review, failed, show = showNotification } = tools;
  const waiting = new Map<string, Shown | undefined>();
  const end = (id: string) => {
    waiting.get(id)?.close();
    waiting.delete(id);
  };
  const notify = async (signIn: SignIn) => {
    waiting.set(signIn.id, undefined);
    const { wanted, sound } = await noticeWishes(owner);
    // The sign-in may have been settled in the meantime.
    if (!wanted || !waiting.has(signIn.id)) return;
    const shown = show({ ...notificationWords(signIn), silent: !sound }, (action) => {
      if (action === 'Deny') ask(owner, 'signIns.deny', { id: signIn.id }).catch(failed);
      else review(signIn.id);
    });
    waiting.set(signIn.id, shown);
  };
  const unsubscribe = owner.subscribe((event) => {
    if (event.name === 'signIn.requested') notify(event.data).catch(() => undefined); // the prompt asks in any case
    if (event.name === 'signIn.settled') end(event.data.id);
  });
  return () => {
    unsubscribe();
    for (const id of [...waiting.keys()]) end(id);
  };
}

/**
 * Tells the owner which app they approved, if they want notifications, because the dialog that they answered is gone.
 * `showApps` opens the window at the apps.
 */
export async function tellApproved(
  owner: OwnerApi,
  signIn: SignIn,
  showApps: () => void,
  show: typeof showNotification = showNotification,
): Promise<void> {
  const { wanted } = await noticeWishes(owner);
  if (!wanted) return;
  show(
    { title: `Approved: ${appNamed(signIn)}`, body: 'Go back to your browser.', silent: true },
    showApps,
    [],
  );
}

/** Returns the text of a notification about a sign-in. */
function notificationWords(signIn: SignIn): { title: string; body: string } {
  return {
    title: `Sign in to ${appNamed(signIn)}?`,
    body: `Approve only if your browser shows ${signIn.matchCode}.`,
  };
}

// A notification that is garbage collected loses its click handler.
const onScreen = new Set<Notification>();

function showNotification(
  options: NotificationConstructorOptions,
  answered: (action: (typeof actions)[number]) => void,
  buttons: readonly string[] = actions,
): Shown | undefined {
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
