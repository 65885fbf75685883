import { app, session, shell, type Event, type Session, type WebContents } from 'electron';
import { appOrigin, externalAddress } from './addresses.ts';
import { holdDictionaries } from './spelling.ts';

/**
 * Denies every page, including ours, what no page of this app needs: permissions, navigation, new windows, webviews,
 * downloads from elsewhere, and dictionaries that the owner did not request. Call it before the app is ready and before
 * anything is opened.
 */
export function lockDown(): void {
  // Chromium's sandbox does not work as root (in containers and tests), where --no-sandbox deliberately turns it off.
  if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox();
  app.on('web-contents-created', (_event, contents) => lockContents(contents));
  app.on('session-created', lockSession);
  void app.whenReady().then(() => lockSession(session.defaultSession));
}

/** Returns whether a page may have a permission: only our page may write to the clipboard, for its copy buttons. */
export function mayHave(permission: string, origin: string): boolean {
  return permission === 'clipboard-sanitized-write' && origin.replace(/\/$/, '') === appOrigin;
}

/** Returns whether a page may save a file: only our page, and only data that it created itself. */
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
  const prevent = (event: Pick<Event, 'preventDefault'>) => event.preventDefault();
  contents.on('will-navigate', prevent);
  contents.on('will-frame-navigate', prevent);
  contents.on('will-redirect', prevent);
  contents.on('will-attach-webview', prevent);
  contents.setWindowOpenHandler(({ url }) => {
    const address = externalAddress(url);
    // Errors are ignored: if no browser can be started, the page still shows the link's address.
    if (address) shell.openExternal(address).catch(() => undefined);
    return { action: 'deny' };
  });
}

// URL.origin is "null" for a custom scheme, but Chromium treats ours as standard.
function originOf(address: string): string {
  if (!URL.canParse(address)) return '';
  const url = new URL(address);
  return `${url.protocol}//${url.host}`;
}
