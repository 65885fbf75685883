import { app, session, shell, type Event, type Session, type WebContents } from 'electron';
import { appOrigin, externalAddress } from './addresses.ts';
import { holdDictionaries } from './spelling.ts';

/**
 * Takes from every page, ours included, what no page here needs: permissions, navigation, new windows, webviews,
 * downloads from anywhere, dictionaries that nobody asked for. Call it before the app is ready and before anything is opened.
 */
export function lockDown(): void {
  // Root has no Chromium sandbox (containers, tests): whoever says so on the command line knows.
  if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox();
  app.on('web-contents-created', (_event, contents) => lockContents(contents));
  app.on('session-created', lockSession);
  void app.whenReady().then(() => lockSession(session.defaultSession));
}

/** Whether a page may have a permission: ours may write to the clipboard (its copy buttons), and that is all. */
export function mayHave(permission: string, origin: string): boolean {
  return permission === 'clipboard-sanitized-write' && origin.replace(/\/$/, '') === appOrigin;
}

/** Whether a page may have a file saved: ours what it made itself, which Electron asks the owner about; nothing from anywhere. */
export function maySave(address: string, page: string): boolean {
  return address.startsWith(`blob:${appOrigin}/`) && page.startsWith(`${appOrigin}/`);
}

function lockSession(locked: Session): void {
  holdDictionaries(locked);
  locked.setPermissionRequestHandler((_contents, permission, done, { requestingUrl }) =>
    done(mayHave(permission, originOf(requestingUrl))),
  );
  locked.setPermissionCheckHandler((_contents, permission, origin) => mayHave(permission, origin));
  locked.setDevicePermissionHandler(() => false);
  locked.on('will-download', (event, item, contents) => {
    if (!maySave(item.getURL(), contents.getURL())) event.preventDefault();
  });
}

function lockContents(contents: WebContents): void {
  contents.on('will-navigate', prevent);
  contents.on('will-frame-navigate', prevent);
  contents.on('will-redirect', prevent);
  contents.on('will-attach-webview', prevent);
  contents.setWindowOpenHandler(({ url }) => {
    const address = externalAddress(url);
    // Where no browser can be started there is nothing more to do here; the page still shows the address.
    if (address) shell.openExternal(address).catch(() => undefined);
    return { action: 'deny' };
  });
}

// A scheme that URL does not know has the origin "null" there; Chromium knows ours as a standard one.
function originOf(address: string): string {
  if (!URL.canParse(address)) return '';
  const url = new URL(address);
  return `${url.protocol}//${url.host}`;
}

function prevent(event: Pick<Event, 'preventDefault'>): void {
  event.preventDefault();
}
