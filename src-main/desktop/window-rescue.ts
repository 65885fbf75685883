import type { BrowserWindow, MessageBoxOptions } from 'electron';
import { limitAttempts } from './attempts.ts';
import { showMessageBox } from './message-box.ts';

/** How often a minute a page that died is opened again without asking. */
const most = 3;
const minute = 60_000;

/**
 * Opens the window's page again, at the same place, when its process has died, and asks the owner where it keeps
 * dying or hangs. The light stays on meanwhile: the server is in another process.
 */
export function rescueWindow(window: BrowserWindow, log: (problem: string) => void): void {
  const contents = window.webContents;
  const mayTry = limitAttempts(most, minute);
  // Not within the event: the process is only on its way out then. A reload keeps the place.
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
    // What is ended so comes by the event above, and is opened again.
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
