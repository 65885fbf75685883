import { BrowserWindow, nativeTheme } from 'electron';
import { onFirstFrame } from './first-frame.ts';

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="color-scheme" content="light dark">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
    <title>Porchlight (demo)</title>
    <style>
      body { display: grid; place-content: center; min-height: 90vh; margin: 0 24px; background: #faf8f5; color: #241f1b; font: 16px/1.5 system-ui, sans-serif; text-align: center; }
      h1 { margin: 0; font-size: 20px; }
      p { margin: 4px 0 0; }
      @media (prefers-color-scheme: dark) { body { background: #1c1917; color: #ece7e1; } }
    </style>
  </head>
  <body>
    <main>
      <h1>Porchlight is filling the demo</h1>
      <p>It adds a year of posts and mentions. This takes a few seconds.</p>
    </main>
  </body>
</html>`;

/** Shows a small window while Porchlight creates the demo's data. Returns a function that closes the window. */
export function showDemoNote(): () => void {
  const window = new BrowserWindow({
    width: 460,
    height: 200,
    title: 'Porchlight (demo)',
    backgroundColor: nativeTheme.shouldUseDarkColors ? '#1c1917' : '#faf8f5',
    show: false,
    autoHideMenuBar: true,
    webPreferences: { sandbox: true, contextIsolation: true, nodeIntegration: false, javascript: false },
  });
  onFirstFrame(window, () => window.show());
  // `loadURL` rejects if the window is closed before its page has loaded.
  window.loadURL(`data:text/html;charset=utf-8,${encodeURIComponent(page)}`).catch(() => undefined);
  return () => {
    if (!window.isDestroyed()) window.destroy();
  };
}
