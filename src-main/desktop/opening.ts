import { BrowserWindow, nativeTheme } from 'electron';
import type { Service, ServiceOptions } from '../app/service.ts';
import { PorchlightError } from '../contract/error.ts';
import { failureWords } from './dialog-words.ts';
import { onFirstFrame } from './first-frame.ts';
import { showMessageBox } from './message-box.ts';

type Secrets = ServiceOptions['secrets'];

interface Opening {
  /** Opens the service. `secrets`: whether the secrets are in the keychain or in a file. */
  readonly open: (secrets: Secrets) => Promise<Service>;
  /**
   * Where the secrets are stored. If neither an option nor a secrets file determines this, the value is undefined, and
   * Porchlight tries the keychain first.
   */
  readonly secrets: Secrets | undefined;
  /** Aborts when the app quits. This closes the open dialog. */
  readonly signal: AbortSignal;
}

/**
 * Opens the service. If the keychain can't be used and `secrets` is undefined, asks the owner what to do. Returns
 * undefined if the owner chooses to quit.
 * @throws the same errors as openApp
 */
export async function openForOwner(opening: Opening): Promise<Service | undefined> {
  for (;;) {
    try {
      return await opening.open(opening.secrets ?? 'keychain');
    } catch (error) {
      const unavailable = error instanceof PorchlightError && error.code === 'keychain_unavailable';
      if (!unavailable || opening.secrets !== undefined) throw error;
      const answer = await askAboutKeychain(error, opening.signal);
      if (answer === 'file') return await opening.open('file');
      if (answer === 'quit' || opening.signal.aborted) return undefined;
    }
  }
}

const keychainAnswers = ['again', 'file', 'quit'] as const;

async function askAboutKeychain(
  error: PorchlightError,
  signal: AbortSignal,
): Promise<(typeof keychainAnswers)[number]> {
  process.stderr.write(`Porchlight: ${error.message}\n`);
  const { response } = await showMessageBox({
    type: 'warning',
    title: 'Porchlight',
    message: 'Porchlight cannot use this computer’s keychain',
    detail: [
      `Porchlight keeps its secrets there, such as the key that signs you in. ${error.message}`,
      'If the keychain is locked, unlock it and try again.',
      'Porchlight can keep its secrets in a file in its data folder instead. Only your user account can read that file, ' +
        'but it is not encrypted, so programs that you run can read it too.',
    ].join('\n\n'),
    buttons: ['Try again', 'Keep secrets in a file on this computer', 'Quit'],
    defaultId: 0,
    cancelId: 2,
    noLink: true,
    signal,
  });
  return keychainAnswers[response] ?? 'quit';
}

/**
 * Shows a dialog that says why Porchlight can't start and what the owner can do. Resolves when the dialog is closed.
 */
export async function explainFailure(error: unknown, signal: AbortSignal): Promise<void> {
  const { message, detail } = failureWords(error);
  process.stderr.write(`Porchlight: ${message}. ${detail}\n`);
  await showMessageBox({
    type: 'error',
    title: 'Porchlight',
    message,
    detail,
    buttons: ['Quit'],
    signal,
  });
}

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
