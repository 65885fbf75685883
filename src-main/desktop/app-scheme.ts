import { protocol } from 'electron';

/** Tells Chromium, before the app is ready, that app:// has origins as https:// does. It bypasses nothing. */
export function registerAppScheme(): void {
  protocol.registerSchemesAsPrivileged([{ scheme: 'app', privileges: { standard: true, secure: true } }]);
}
