import { type BrowserWindow, dialog, type MessageBoxOptions, type MessageBoxReturnValue } from 'electron';

let ownersWindow = (): BrowserWindow | undefined => undefined;

/** Names the function that returns the owner's window, or creates it, for the message boxes of macOS. */
export function giveBoxesWindow(window: () => BrowserWindow | undefined): void {
  ownersWindow = window;
}

/**
 * Shows a system message box while the server runs. On macOS, a box without a parent window would block the server
 * until somebody answers, and a signal could not close the box (Electron's dialog.showMessageBox, `signal`). On macOS,
 * the box is therefore a sheet of the owner's window, which is created or shown first.
 */
export function showMessageBox(box: MessageBoxOptions): Promise<MessageBoxReturnValue> {
  const window = process.platform === 'darwin' ? ownersWindow() : undefined;
  if (!window) return promptly(dialog.showMessageBox(box));
  window.show();
  return promptly(dialog.showMessageBox(window, box));
}

/** How often the event loop runs while a system dialog is open, in ms. */
const turnMs = 100;

/**
 * Passes on the answer of a system dialog as soon as it is given. On Linux, Electron holds the answer back until
 * something else wakes the app, which takes 10 s or more if no window has been opened yet (Electron issues 20533 and
 * 51049). A timer therefore wakes the app while the dialog is open.
 */
export async function promptly<T>(answer: Promise<T>): Promise<T> {
  const turning = setInterval(() => undefined, turnMs);
  try {
    return await answer;
  } finally {
    clearInterval(turning);
  }
}
