import { app } from 'electron';
import type { Problem } from '../contract/status.ts';
import { appImage } from './ending.ts';

/** The problem of an app whose notifications the system refuses. */
export const noNotifications: Problem = {
  code: 'no_notifications',
  message:
    process.platform === 'darwin'
      ? 'macOS doesn’t show Porchlight’s notifications. It does so for apps with a Developer ID only, or you turned them off in System Settings → Notifications. Sign-ins still ask in a window.'
      : 'The system doesn’t show Porchlight’s notifications. Check the notifications in your system settings. Sign-ins still ask in a window.',
};

/**
 * Returns the problem of an app that runs without Chromium's sandbox; undefined if it has one. Where programs may not
 * create user namespaces, as on Ubuntu since 23.10, the AppImage starts without a sandbox rather than not at all. The
 * Debian package brings the permission for one. From its source code, the app is started so on purpose.
 */
export function sandboxProblem(): Problem | undefined {
  if (!app.isPackaged || !app.commandLine.hasSwitch('no-sandbox')) return undefined;
  const way =
    appImage() === undefined ? 'Start it without --no-sandbox.' : 'Install the Debian package (deb) instead.';
  return {
    code: 'no_sandbox',
    message: `Porchlight runs without Chromium’s sandbox, which protects this computer from a web page that breaks into the window. ${way}`,
  };
}
