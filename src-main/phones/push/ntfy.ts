import type { Handlers } from '../../contract/contract.ts';
import { PorchlightError } from '../../contract/error.ts';
import { ntfyName, type Secrets } from '../../platform/secrets.ts';

/** Creates the handlers for the owner's ntfy topic. `allowPrivate`: whether the server may use http. */
export function ntfyHandlers(secrets: Secrets, allowPrivate: boolean) {
  return {
    'secrets.hasNtfy': async () => ({ stored: (await secrets.get(ntfyName)) !== null }),
    'secrets.setNtfy': async ({ server, topic }) => {
      const isEmpty = server + topic === '';
      await (isEmpty
        ? secrets.delete(ntfyName)
        : secrets.set(ntfyName, topicAddress(server, topic, allowPrivate)));
      return { stored: !isEmpty };
    },
  } satisfies Partial<Handlers>;
}

/**
 * Returns the URL to which messages for a topic are sent.
 * @throws PorchlightError `invalid_request`
 */
function topicAddress(server: string, topic: string, allowPrivate: boolean): string {
  const url = URL.canParse(server) ? new URL(server) : undefined;
  const isWeb = url?.protocol === 'https:' || (allowPrivate && url?.protocol === 'http:');
  if (url === undefined || !isWeb || url.href !== `${url.origin}/`)
    throw new PorchlightError(
      'invalid_request',
      'The ntfy server must be an address like https://ntfy.sh, without a path.',
    );
  if (topic === '') throw new PorchlightError('invalid_request', 'Enter the ntfy topic, too.');
  return `${url.origin}/${topic}`;
}
