import { protocol } from 'electron';

/**
 * Registers app:// as a scheme with origins, as https:// has, which is possible only before Electron is ready. Grants
 * no privileges that bypass protections.
 */
export function registerAppScheme(): void {
  protocol.registerSchemesAsPrivileged([{ scheme: 'app', privileges: { standard: true, secure: true } }]);
}
