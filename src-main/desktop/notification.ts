import { Notification, type NotificationConstructorOptions } from 'electron';
import { ask } from '../app/ask.ts';
import type { OwnerApi } from '../contract/contract.ts';
import type { TunnelStatus } from '../contract/reach.ts';
import type { SignIn } from '../contract/sign-ins.ts';
import type { MentionRecord } from '../contract/webmentions.ts';
import { mentionsPlace } from './addresses.ts';
import { dialogText, appNamed, mentionWords } from './dialog-words.ts';

/**
 * The buttons of a notification about a sign-in. There is no Approve button, because an accidental click must never
 * approve a sign-in.
 */
const actions = ['Review', 'Deny'] as const;

/**
 * Shows each new sign-in as a notification, if the owner wants notifications. A click opens the sign-in for review.
 * `failed`: tells the owner that their decision could not be carried out. Returns a function that stops the
 * notifications.
 */
export function startNotifications(
  owner: OwnerApi,
  review: (id: string) => void,
  failed: (error: unknown) => void,
  show: typeof showNotification = showNotification,
): () => void {
  const waiting = new Map<string, Pick<Notification, 'close'> | undefined>();
  const end = (id: string) => {
    waiting.get(id)?.close();
    waiting.delete(id);
  };
  const notify = async (signIn: SignIn) => {
    waiting.set(signIn.id, undefined);
    const { isEnabled, sound } = await noticeWishes(owner);
    // While the settings were read, the sign-in may have been approved or denied, or may have expired.
    if (!isEnabled || !waiting.has(signIn.id)) return;
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
export async function notifyApproved(
  owner: OwnerApi,
  signIn: SignIn,
  showApps: () => void,
  show: typeof showNotification = showNotification,
): Promise<void> {
  const { isEnabled } = await noticeWishes(owner);
  const title = `Approved: ${appNamed(signIn)}`;
  if (isEnabled) show({ title, body: 'Go back to your browser.', silent: true }, showApps, []);
}

/**
 * Says at the computer that a phone approved a sign-in. `showSignIns`: opens the window where Undo is. Returns a function
 * that stops this.
 */
export function startPhoneNotice(
  owner: OwnerApi,
  showSignIns: () => void,
  show: typeof showNotification = showNotification,
): () => void {
  return owner.subscribe((event) => {
    if (event.name !== 'signIn.settled' || event.data.outcome !== 'approved') return;
    const { by } = event.data;
    if (by === undefined) return;
    const notice = {
      title: `“${dialogText(by)}” approved a sign-in`,
      body: 'If it wasn’t you, undo it in Sign-ins.',
      silent: true,
    };
    void noticeWishes(owner).then(({ isEnabled }) => isEnabled && show(notice, showSignIns, []));
  });
}

/**
 * Returns whether the owner wants notifications, and whether the owner wants them with sound. Both are false if the
 * settings can't be read.
 */
async function noticeWishes(owner: OwnerApi): Promise<{ isEnabled: boolean; sound: boolean }> {
  return ask(owner, 'settings.get', {}).then(
    ({ desktop }) => ({ isEnabled: desktop.notifications, sound: desktop.sound }),
    () => ({ isEnabled: false, sound: false }),
  );
}

let failed: () => void = () => undefined;

/** Sets the function to call if the system refuses to show a notification, as macOS does for an app without a certificate. */
export function onNotificationsFailed(report: () => void): void {
  failed = report;
}

function newNotification(options: NotificationConstructorOptions): Notification {
  const notification = new Notification(options);
  notification.on('failed', () => failed());
  return notification;
}

// Keep references to the visible notifications, because a garbage-collected notification loses its click handler.
const onScreen = new Set<Notification>();

function showNotification(
  options: NotificationConstructorOptions,
  answered: (action: (typeof actions)[number]) => void,
  buttons: readonly string[] = actions,
): Pick<Notification, 'close'> | undefined {
  if (!Notification.isSupported()) return undefined;
  const notification = newNotification({
    ...options,
    // macOS shows the buttons; other systems ignore them.
    actions: buttons.map((text) => ({ type: 'button', text })),
  });
  notification.on('click', () => answered('Review'));
  notification.on('action', (_event, index) => answered(actions[index] ?? 'Review'));
  onScreen.add(notification);
  notification.on('close', () => onScreen.delete(notification));
  notification.on('failed', () => onScreen.delete(notification));
  notification.show();
  return notification;
}

/** The time (in ms) during which new mentions are collected for one notification. */
const gatherMs = 5_000;

/**
 * Shows new mentions as system notifications if the owner wants notifications. Mentions that arrive together share a
 * notification. Leaves out the owner's own mentions. `show`: called when the owner clicks a notification. Opens the
 * window at the notification's mentions. Returns a function that stops the notifications.
 */
export function startMentionNotices(owner: OwnerApi, show: (place: string) => void): () => void {
  const board = noticeBoard(owner, show);
  let gathered: MentionRecord[] = [];
  let timer: NodeJS.Timeout | undefined;

  async function notify(): Promise<void> {
    const mentions = gathered;
    gathered = [];
    timer = undefined;
    await board.notify({ ...mentionWords(mentions), place: mentionsPlace(mentions) });
  }

  const unsubscribe = owner.subscribe((event) => {
    if (event.name !== 'webmention.received' || event.data.own === true) return;
    gathered.push(event.data);
    // Errors are ignored: the window shows the mentions anyway.
    timer ??= setTimeout(() => void notify().catch(() => undefined), gatherMs);
  });
  return () => {
    unsubscribe();
    clearTimeout(timer);
    board.end();
  };
}

interface Notice {
  readonly title: string;
  readonly body: string;
  /** The URL fragment at which a click opens the window. */
  readonly place: string;
}

type Show = (place: string) => void;

/**
 * Returns a function that shows a notice as a system notification, in place of its last one, if the owner wants
 * notifications. `end` closes it.
 */
function noticeBoard(owner: OwnerApi, show: Show) {
  // Keep a reference to the visible notification, because a garbage-collected notification loses its click handler.
  let notification: Notification | undefined;
  return {
    async notify({ place, ...words }: Notice): Promise<void> {
      const { isEnabled, sound } = await noticeWishes(owner);
      if (!isEnabled || !Notification.isSupported()) return;
      notification?.close();
      notification = newNotification({ ...words, silent: !sound });
      notification.on('click', () => show(place));
      notification.show();
    },
    end: () => notification?.close(),
  };
}

/**
 * Shows a system notification with the number of items that the mailbox received while this computer was asleep, if the
 * owner wants notifications. `show`: opens the window at a list of mentions. Returns a function that stops the
 * notifications.
 */
export function startMailboxNotice(owner: OwnerApi, show: Show): () => void {
  const board = noticeBoard(owner, show);
  const unsubscribe = owner.subscribe((event) => {
    // Errors are ignored: the window shows the new items anyway.
    if (event.name === 'mailbox.arrived')
      void board
        .notify({ ...arrivalWords(event.data.arrived), place: '#/webmentions' })
        .catch(() => undefined);
  });
  return () => {
    unsubscribe();
    board.end();
  };
}

function arrivalWords(arrived: number): { title: string; body: string } {
  return {
    title: `${arrived === 1 ? 'One thing' : `${arrived} things`} arrived while you were away`,
    body: 'Your mailbox kept what others sent.',
  };
}

/**
 * Shows a system notification when the tunnel has failed until the owner acts, if the owner wants notifications. `show`:
 * opens the window at the settings of the public address. Returns a function that stops the notifications.
 */
export function startTunnelNotice(owner: OwnerApi, show: Show): () => void {
  const board = noticeBoard(owner, show);
  let hasFailed = false;
  const follow = ({ state, words }: TunnelStatus) => {
    const isNew = state === 'failed' && !hasFailed;
    hasFailed = state === 'failed';
    if (!hasFailed) board.end();
    // Errors are ignored: the window shows the state of the tunnel anyway.
    if (isNew)
      board.notify({ title: tunnelTitle, body: words, place: '#/settings/reach' }).catch(() => undefined);
  };
  const unsubscribe = owner.subscribe((event) => {
    if (event.name === 'tunnel.changed') follow(event.data);
  });
  // The tunnel may have failed before the desktop was open.
  ask(owner, 'tunnel.status', {}).then(follow, () => undefined);
  return () => {
    unsubscribe();
    board.end();
  };
}

const tunnelTitle = 'The web can’t reach your Porchlight';

/** Keeps a reference to the notification, which could be garbage-collected otherwise. */
let shown: Notification | undefined;

/**
 * Shows as a system notification what could not be saved before the app ends. Doesn't ask the owner's settings, because
 * an app that was signed out would get its access back. A dialog would keep the app from ending.
 */
export function showLoss(words: string): void {
  if (!Notification.isSupported()) return;
  shown?.close();
  shown = newNotification({
    title: 'Porchlight couldn’t save everything',
    body: words,
    urgency: 'critical',
    timeoutType: 'never',
  });
  shown.show();
}
