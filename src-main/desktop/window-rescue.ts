import type { BrowserWindow, MessageBoxOptions } from 'electron';
import { limitAttempts } from './attempts.ts';
import { showMessageBox } from './message-box.ts';

/** How many times a minute a crashed page is reopened without asking. */
const most = 3;
const minute = 60_000;

/**
 * Reopens the window's page at the same place when the page's process crashes, and asks the owner if it keeps crashing
 * or hangs. The server keeps running meanwhile, because it is in another process.
 */
export function rescueWindow(window: BrowserWindow, log: (problem: string) => void): void {
  const contents = window.webContents;
  const mayTry = limitAttempts(most, minute);
  // Deferred, because the page's process is still exiting during the event. A reload keeps the place in the window.
  const reopen = () =>
    void setImmediate(() => {
      if (!window.isDestroyed()) contents.reload();
    });
  let asking: AbortController | undefined;
  const askOnce = async (options: MessageBoxOptions, yes: () => void) => {
    asking?.abort();
    asking = new AbortController();
    const { signal } = asking;
    const { response } = await showMessageBox({ ...options, ...look, signal });
    if (response === 0 && !signal.aborted) yes();
  };

  contents.on('render-process-gone', (_event, { reason }) => {
    if (reason === 'clean-exit') return;
    log(`the window's process is gone: ${reason}`);
    if (mayTry()) reopen();
    else void askOnce(gone, reopen);
  });
  window.on('unresponsive', () => {
    log('the window does not answer');
    // The handler of `render-process-gone` then reopens the page.
    void askOnce(hangs, () => contents.forcefullyCrashRenderer());
  });
  window.on('responsive', () => asking?.abort());
}

const look = { type: 'warning', title: 'Porchlight', defaultId: 0, cancelId: 1, noLink: true } as const;

const gone = {
  message: 'Porchlight’s window keeps crashing',
  detail: 'Your server is still running. Unsaved changes in the window may be lost.',
  buttons: ['Open it again', 'Leave it closed'],
};

const hangs = {
  message: 'Porchlight’s window isn’t responding',
  detail: 'Your server is still running. If you open the window again, you lose unsaved changes in it.',
  buttons: ['Open it again', 'Wait'],
};
