import type { FastifyRequest } from 'fastify';
import { bearerOf } from './http/bearer.ts';
import { formOf, optionalField } from './http/form.ts';
import type { VisitorCostOptions } from './http/visitor-cost.ts';
import type { IndieAuth } from './indieauth/indieauth.ts';
import type { Activity } from './owner/activity.ts';
import type { Clock } from './platform/clock.ts';
import type { Log } from './platform/log.ts';

export interface VisitingDeps {
  readonly access: () => IndieAuth['access'];
  readonly isManagementToken: (text: string) => boolean;
  readonly activity: Pick<Activity, 'tell'>;
  readonly log: Pick<Log, 'warn'>;
  readonly clock: Clock;
}

const toldEveryMs = 3_600_000;
const words =
  'Visitors asked for more pages than this computer should spend its time on. Porchlight answers them more slowly and refuses some requests; others are not affected.';

/** Returns who pays for a request besides its visitor, and what happens when a party is over its limit. */
export function visitorCosts(deps: VisitingDeps): Pick<VisitorCostOptions, 'payerOf' | 'refused'> {
  let toldAt = -Infinity;
  return {
    async payerOf(request: FastifyRequest) {
      const inQuery = optionalField(formOf(request.query), 'token');
      const token = bearerOf(request) ?? inQuery;
      if (token === undefined) return undefined;
      if (deps.isManagementToken(inQuery ?? token)) return 'owner';
      return (await deps.access().check(token))?.grantId;
    },
    // One line an hour: a flood must not push everything else out of the owner's list.
    refused() {
      if (deps.clock() - toldAt < toldEveryMs) return;
      toldAt = deps.clock();
      deps.log.warn('a visitor is over the limit of what requests may cost');
      deps.activity.tell('server.visitors', words).catch((error: unknown) => {
        deps.log.warn({ err: error }, 'what happened could not be written down');
      });
    },
  };
}
