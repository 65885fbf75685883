import { protocol } from 'electron';

/**
 * Registers app:// as a scheme with origins like https://, which is possible only before the app is ready. Grants no
 * privileges that bypass protections.
 */
export function registerAppScheme(): void {
  protocol.registerSchemesAsPrivileged([{ scheme: 'app', privileges: { standard: true, secure: true } }]);
}
