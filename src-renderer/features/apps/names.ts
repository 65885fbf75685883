import type { App } from '../../../src-main/contract/sign-ins.ts';
import { hostIn, plainText } from '../../ui/plain-text.ts';

/** Returns what the app calls itself, or its host. */
export function ownNameOf({ clientName, clientId }: Pick<App, 'clientName' | 'clientId'>): string {
  return plainText(clientName) || hostIn(clientId);
}

/** Returns what the window calls an app: the owner's name for it, or its own. */
export function nameOf(app: Pick<App, 'name' | 'clientName' | 'clientId'>): string {
  return plainText(app.name ?? '') || ownNameOf(app);
}
