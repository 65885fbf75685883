import { existsSync, writeFileSync } from 'node:fs';
import { app, dialog, type BrowserWindow } from 'electron';

/**
 * On a desktop without a tray: closing the window says, once, that the light stays on, and offers to quit instead.
 * `toldFile`: the note that it was said.
 */
export function explainClosing(
  window: BrowserWindow,
  hasTray: () => Promise<boolean>,
  toldFile: string,
): void {
  let asking = false;
  const explain = async () => {
    if (asking || existsSync(toldFile)) return;
    asking = true;
    try {
      if (!(await hasTray())) await askWhatNow(toldFile);
    } finally {
      asking = false;
    }
  };
  window.on('close', () => void explain());
}

async function askWhatNow(toldFile: string): Promise<void> {
  const { response } = await dialog.showMessageBox({
    type: 'question',
    title: 'Porchlight',
    message: 'Leave the light on?',
    detail: [
      'This desktop has no place for Porchlight’s icon, so there is nothing to see of it while its window is closed.',
      'While it keeps running, apps can sign in with your domain and post. Start Porchlight again to get its window ' +
        'back; Ctrl+Q in the window quits it.',
    ].join('\n\n'),
    buttons: ['Keep it running', 'Quit'],
    defaultId: 0,
    cancelId: 0,
    noLink: true,
  });
  if (response === 1) {
    app.quit();
    return;
  }
  try {
    writeFileSync(toldFile, '');
  } catch {
    // Then it is said once more the next time.
  }
}
