import type { BrowserWindow, MessageBoxOptions } from 'electron';
import { limitAttempts } from './attempts.ts';
import { showMessageBox } from './message-box.ts';

/** The maximum number of times per minute that a crashed page is reopened without asking the owner. */
const most = 3;
const minute = 60_000;

/**
 * Reloads the window's page when the page's process crashes. If the page keeps crashing or hangs, asks the owner first.
 * The server keeps running in the meantime, because it is in another process.
 */
export function rescueWindow(window: BrowserWindow, log: (problem: string) => void): void {
  const contents = window.webContents;
  const mayTry = limitAttempts(most, minute);
  // The reload is deferred, because the page's process is still exiting while the handler of `render-process-gone`
  // runs. A reload keeps the page's URL.
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
    // End the page's process. The handler of `render-process-gone` then reloads the page.
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
