import type { Handlers } from '../contract/contract.ts';
import type { Status } from '../contract/status.ts';
import { ntfyHandlers } from '../phones/push/ntfy.ts';
import { secretHandlers } from '../sign-in/secrets.ts';
import type { Foundation } from './foundation.ts';
import type { Parts } from './parts.ts';
import type { ServiceOptions } from './service.ts';
import { statusHandlers } from './status.ts';
import { supportHandlers } from './support.ts';

/** Combines the handlers of all of the owner's calls. */
export function allHandlers(
  options: ServiceOptions,
  foundation: Foundation,
  parts: Parts,
  status: () => Status,
): Handlers {
  const { secrets, managementToken, ownerNews } = foundation;
  const { activity } = foundation.early;
  const { reaching, signingIn, selfTesting } = parts;
  return {
    ...statusHandlers(reaching, status, activity, ownerNews),
    ...parts.identifying.handlers,
    ...secretHandlers(managementToken, activity),
    ...ntfyHandlers(secrets, foundation.early.allowPrivate),
    ...signingIn.handlers,
    ...parts.assistants.handlers,
    ...parts.phones.handlers,
    ...reaching.tunnelControl.handlers,
    ...selfTesting.handlers,
    ...parts.publishing.handlers,
    ...parts.mentioning.handlers,
    ...parts.data.handlers,
    ...parts.cloudflare.handlers,
    ...parts.mailbox.handlers,
    'activity.list': (page) => activity.list(page),
    ...supportHandlers(options, foundation, parts, status),
  };
}
