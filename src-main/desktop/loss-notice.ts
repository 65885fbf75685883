import { Notification } from 'electron';

/** Keeps a reference to the notification, which could be garbage-collected otherwise. */
let shown: Notification | undefined;

/**
 * Shows as a system notification what could not be saved before the app ends. Doesn't ask the owner's settings, because
 * an app that was signed out would get its access back. A dialog would keep the app from ending.
 */
export function showLoss(words: string): void {
  if (!Notification.isSupported()) return;
  shown?.close();
  shown = new Notification({
    title: 'Porchlight couldn’t save everything',
    body: words,
    urgency: 'critical',
    timeoutType: 'never',
  });
  shown.show();
}
