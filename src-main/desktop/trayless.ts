import { existsSync, writeFileSync } from 'node:fs';
import { app, type BrowserWindow } from 'electron';
import { showMessageBox } from './message-box.ts';

/**
 * Explains, on a desktop without a tray, that the server keeps running after the window closes, and offers to quit.
 * Stops explaining this once the owner has chosen to keep the server running. `toldFile`: the file that records this
 * choice.
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
  const { response } = await showMessageBox({
    type: 'question',
    title: 'Porchlight',
    message: 'Keep Porchlight running?',
    detail: [
      'This desktop cannot show Porchlight’s icon, so you won’t see Porchlight while its window is closed.',
      'While it runs, apps can still sign in with your domain and post. To open the window again, start Porchlight ' +
        'again. To quit, press Ctrl+Q in the window.',
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
    // If the file can't be written, the explanation appears again next time.
  }
}
