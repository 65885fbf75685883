import { app, session, shell, type Event, type Session, type WebContents } from 'electron';
import { appOrigin, externalAddress } from './addresses.ts';
import { holdDictionaries } from './spelling.ts';

/**
 * Blocks, in all pages, features that no page of this app needs: permissions, navigation, new windows, webviews,
 * downloads from other sites, and dictionaries that the owner did not request. Call it before the app is ready and
 * before a window or page opens.
 */
export function lockDown(): void {
  // Chromium's sandbox does not work for the root user. Containers and tests run as root, and deliberately turn off the
  // sandbox with --no-sandbox.
  if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox();
  app.on('web-contents-created', (_event, contents) => lockContents(contents));
  app.on('session-created', lockSession);
  void app.whenReady().then(() => lockSession(session.defaultSession));
}

/**
 * Returns whether a page has a permission. The app's own page can write to the clipboard, for its copy buttons. All
 * other permissions are denied.
 */
export function mayHave(permission: string, origin: string): boolean {
  return permission === 'clipboard-sanitized-write' && origin.replace(/\/$/, '') === appOrigin;
}

/** Returns whether a page may save a file. Only the app's own page may, and only data that it created itself. */
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

// Returns the origin of a URL. Does not use URL.origin, because it is "null" for a custom scheme such as app:.
function originOf(address: string): string {
  if (!URL.canParse(address)) return '';
  const url = new URL(address);
  return `${url.protocol}//${url.host}`;
}
