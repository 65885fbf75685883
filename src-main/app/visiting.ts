import type { FastifyRequest } from 'fastify';
import { bearerOf } from '../http/bearer.ts';
import { formFields, optionalField } from '../http/form.ts';
import type { VisitorCostOptions } from '../http/visitor-cost.ts';
import type { IndieAuth } from '../sign-in/indieauth.ts';
import type { Activity } from '../storage/records/activity.ts';
import type { Log } from '../platform/log.ts';
import type { Common } from '../http/common.ts';

interface Reporting extends Pick<Common, 'clock'> {
  readonly activity: Pick<Activity, 'record'>;
  readonly log: Pick<Log, 'info' | 'warn'>;
}

interface VisitingDeps extends Reporting {
  readonly access: IndieAuth['access'];
  readonly isManagementToken: (text: string) => boolean;
}

const recordEveryMs = 3_600_000;
const words =
  'Some visitors requested too many pages. Porchlight answers them more slowly and refuses some requests. Other visitors aren’t affected.';

const readingWords =
  'Pages or pictures from some sites take too long to read. Porchlight skips some of them for a few minutes. Other sites aren’t affected.';

/**
 * Returns a function that tells the owner, at most once an hour, that reading other people's pages takes more time than
 * allowed.
 */
export function readingRefusals(deps: Reporting): () => void {
  return hourly(deps, () => {
    deps.log.info('pages or pictures of others are over the limit of what reading them may cost');
    return deps.activity.record('server.reading', readingWords);
  });
}

/**
 * Returns a function that calls `record` at most once an hour. Otherwise, a flood of messages could push everything
 * else out of the owner's activity list.
 */
function hourly({ clock, log }: Reporting, record: () => Promise<void>): () => void {
  let recordedAt = -Infinity;
  return () => {
    if (clock() - recordedAt < recordEveryMs) return;
    recordedAt = clock();
    record().catch((error: unknown) => {
      log.warn({ err: error }, 'what happened could not be written down');
    });
  };
}

/**
 * Returns the callbacks that limit visitors' use of the server. `payerOf`: returns the app to which a request is
 * charged, or `owner`; undefined if the request is charged to the client's address. `refused`: tells the owner that
 * requests were refused.
 */
export function visitorCosts(deps: VisitingDeps): Pick<VisitorCostOptions, 'payerOf' | 'refused'> {
  return {
    async payerOf(request: FastifyRequest) {
      const inQuery = optionalField(formFields(request.query), 'token');
      const token = bearerOf(request) ?? inQuery;
      if (token === undefined) return undefined;
      if (deps.isManagementToken(inQuery ?? token)) return 'owner';
      return ((await deps.access.check(token)) ?? (await deps.access.check(token, 'mcp')))?.grantId;
    },
    refused: hourly(deps, () => {
      deps.log.warn('a visitor is over the limit of what requests may cost');
      return deps.activity.record('server.visitors', words);
    }),
  };
}
